import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerSamples } from '../test/vector-file.ts';
import { answerCommitmentText, commitAnswer } from './answer.ts';
import { createChatAnswer } from './chat-answer.ts';

function fromChunks(chunks: readonly unknown[]) {
  const answer = createChatAnswer();
  for (const chunk of chunks) answer.chunk(chunk);
  return answer;
}

function fromBody(body: unknown) {
  const answer = createChatAnswer();
  answer.body(body);
  return answer;
}

const delta = (toolCalls: unknown) => ({ choices: [{ delta: { tool_calls: toolCalls } }] });
const callsOf = (...pieces: unknown[]) =>
  fromChunks(pieces.map((piece) => delta(piece))).choices()[0]?.toolCalls;

describe('createChatAnswer', () => {
  it.each(answerSamples(undefined))(
    'reads the same choices from %s, plain and streamed',
    (_name, { body, chunks, choices, text, sha256 }) => {
      expect(fromBody(body).choices()).toEqual(choices);
      expect(fromChunks(chunks).choices()).toEqual(choices);
      expect(answerCommitmentText(choices)).toBe(text);
      expect(commitAnswer(choices.toReversed())).toBe(sha256);
    },
  );

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['max_tokens', 'length'],
    ['insufficient_system_resource', 'error'],
    ['abort', 'error'],
    ['tool_calls', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['content_filter', 'content_filter'],
    ['error', 'error'],
    ['eos_token', 'stop'],
    ['', undefined],
    [null, undefined],
    [7, undefined],
  ])('maps the finish reason %j to %j', (providerReason, finishReason) => {
    expect(fromBody({ choices: [{ finish_reason: providerReason }] }).finishReason).toBe(
      finishReason,
    );
  });

  it('reports the finish reason of the choice with the lowest index', () => {
    const answer = fromChunks([
      { choices: [{ index: 0, delta: { content: 'a' } }] },
      { choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
    ]);
    expect(answer.finishReason).toBeUndefined();
    answer.chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    expect(answer.finishReason).toBe('stop');
  });

  it.each<[string, unknown, unknown]>([
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, [0, 0, 0]],
    ['no total', { prompt_tokens: 3, completion_tokens: 4 }, [3, 4, 7]],
    [
      'a total that differs from the sum',
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 9 },
      [3, 4, 9],
    ],
    ['null', null, undefined],
    ['text', { prompt_tokens: '3', completion_tokens: 4 }, undefined],
    ['a negative count', { prompt_tokens: -1, completion_tokens: 4 }, undefined],
    ['a sum beyond 2^32-1', { prompt_tokens: 2 ** 32 - 1, completion_tokens: 1 }, undefined],
    ['nothing', {}, undefined],
  ])('reads usage with %s', (_name, usage, counts) => {
    const read = fromBody({ choices: [], usage }).usage;
    expect(read && [read.promptTokens, read.completionTokens, read.totalTokens]).toEqual(counts);
  });

  it('reports cached and reasoning tokens only if the provider does', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 4, prompt_tokens_details: null };
    const counts = { promptTokens: 5, completionTokens: 4, totalTokens: 9 };
    expect(fromBody({ usage }).usage).toStrictEqual(counts);
    const details = {
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 3, audio_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    expect(fromBody({ usage: { ...usage, ...details } }).usage).toStrictEqual({
      ...counts,
      cachedTokens: 0,
      cacheWriteTokens: 3,
      reasoningTokens: 2,
    });
  });

  it('reports the last valid usage', () => {
    const chunks = [{ usage: { prompt_tokens: 1, completion_tokens: 2 } }, { usage: null }, {}];
    expect(fromChunks(chunks).usage?.totalTokens).toBe(3);
  });

  it('finds no tool call in an empty list', () => {
    expect(callsOf([], [])).toEqual([]);
  });

  it('assigns pieces without an index by id, else to the last call', () => {
    const calls = callsOf(
      [{ id: 'a', function: { name: 'f', arguments: '{' } }],
      [{ function: { arguments: '}' } }],
      [{ id: 'b', function: { name: 'g' } }],
      [{ id: 'a', function: { name: 'f', arguments: ' ' } }],
    );
    expect(calls).toEqual([
      { id: 'a', name: 'f', arguments: '{} ' },
      { id: 'b', name: 'g', arguments: '' },
    ]);
  });

  it('orders calls by index and ignores a repeated id and name', () => {
    const calls = callsOf(
      [{ index: 1, id: 'b', function: { name: 'g', arguments: '1' } }],
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '2' } }],
      [{ index: 1, id: 'b', function: { name: 'g', arguments: '3' } }],
    );
    expect(calls?.map(({ id, arguments: text }) => [id, text])).toEqual([
      ['a', '2'],
      ['b', '13'],
    ]);
  });

  it('preserves the list order of whole calls and ignores their indices', () => {
    const list = [{ index: 0, id: 'b' }, { index: 0, id: 'a' }, { function: { name: 'c' } }];
    const calls = fromBody({ choices: [{ message: { tool_calls: list } }] }).choices()[0]
      ?.toolCalls;
    expect(calls?.map(({ id, name }) => id + name)).toEqual(['b', 'a', 'c']);
  });

  it('converts object arguments to canonical JSON', () => {
    const piece = [{ function: { name: 'f', arguments: { b: 1, a: [2] } } }];
    expect(callsOf(piece)).toEqual([{ id: '', name: 'f', arguments: '{"a":[2],"b":1}' }]);
  });

  it('joins the text parts of a content list', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(fromBody({ choices: [{ message: { content } }] }).choices()[0]?.content).toBe('ab');
  });

  it('counts the UTF-8 bytes that it stores', () => {
    const text = 'aë€😀\ud800';
    const answer = fromChunks([{ choices: [{ delta: { content: text } }] }]);
    expect(answer.contentBytes).toBe(64 + Buffer.byteLength(text));
    answer.chunk(delta([{ index: 0, id: 'ë', function: { name: 'n', arguments: '{}' } }]));
    expect(answer.contentBytes).toBe(64 + Buffer.byteLength(text) + 64 + 5);
  });

  it('accepts any values in any order without throwing', () => {
    const known = fc.constantFrom('choices', 'index', 'delta', 'message', 'content', 'refusal');
    const more = fc.constantFrom('tool_calls', 'function', 'arguments', 'id', 'name', 'usage');
    const anyValue = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 8 },
        fc.constantFrom(null, true, 0, -1, 1e300, '', 'x', '\ud800'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(known, more), tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(anyValue, { maxLength: 3 }), (values) => {
        const answer = createChatAnswer();
        for (const value of values) {
          answer.chunk(value);
          answer.body(value);
        }
        expect(commitAnswer(answer.choices())).toHaveLength(64);
      }),
      { numRuns: 500 },
    );
  });
});
