import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerSamples } from '../test/answer-samples.ts';
import { answerCommitmentText, commitAnswer } from './answer.ts';
import { createChatAnswer } from './chat-answer.ts';

function gathered(chunks: readonly unknown[]) {
  const answer = createChatAnswer();
  for (const chunk of chunks) answer.chunk(chunk);
  return answer;
}

function whole(body: unknown) {
  const answer = createChatAnswer();
  answer.body(body);
  return answer;
}

const delta = (toolCalls: unknown) => ({ choices: [{ delta: { tool_calls: toolCalls } }] });
const callsOf = (...pieces: unknown[]) =>
  gathered(pieces.map((piece) => delta(piece))).choices()[0]?.toolCalls;

describe('createChatAnswer', () => {
  it.each(answerSamples(undefined))(
    'reads the same choices from %s, plain and streamed',
    (_name, { body, chunks, choices, text, sha256 }) => {
      expect(whole(body).choices()).toEqual(choices);
      expect(gathered(chunks).choices()).toEqual(choices);
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
  ])('maps the finish reason %j to %j', (word, finishReason) => {
    expect(whole({ choices: [{ finish_reason: word }] }).finishReason).toBe(finishReason);
  });

  it('takes the finish reason of the first choice, not of the first to end', () => {
    const answer = gathered([
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
    ['a total of its own', { prompt_tokens: 3, completion_tokens: 4, total_tokens: 9 }, [3, 4, 9]],
    ['null', null, undefined],
    ['text', { prompt_tokens: '3', completion_tokens: 4 }, undefined],
    ['a negative count', { prompt_tokens: -1, completion_tokens: 4 }, undefined],
    ['a sum beyond 2^32-1', { prompt_tokens: 2 ** 32 - 1, completion_tokens: 1 }, undefined],
    ['nothing', {}, undefined],
  ])('reads usage with %s', (_name, usage, counts) => {
    const read = whole({ choices: [], usage }).usage;
    expect(read && [read.promptTokens, read.completionTokens, read.totalTokens]).toEqual(counts);
  });

  it('says what was cached and thought just when the provider did', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 4, prompt_tokens_details: null };
    const counts = { promptTokens: 5, completionTokens: 4, totalTokens: 9 };
    expect(whole({ usage }).usage).toStrictEqual(counts);
    const details = {
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 3, audio_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    expect(whole({ usage: { ...usage, ...details } }).usage).toStrictEqual({
      ...counts,
      cachedTokens: 0,
      cacheWriteTokens: 3,
      reasoningTokens: 2,
    });
  });

  it('keeps the last usage that was one', () => {
    const chunks = [{ usage: { prompt_tokens: 1, completion_tokens: 2 } }, { usage: null }, {}];
    expect(gathered(chunks).usage?.totalTokens).toBe(3);
  });

  it('takes no tool call from an empty list', () => {
    expect(callsOf([], [])).toEqual([]);
  });

  it('puts pieces without an index to their id, else to the last call', () => {
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

  it('orders calls by index and takes a repeated id and name once', () => {
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

  it('keeps whole calls in the order of their list, whatever their indices', () => {
    const list = [{ index: 0, id: 'b' }, { index: 0, id: 'a' }, { function: { name: 'c' } }];
    const calls = whole({ choices: [{ message: { tool_calls: list } }] }).choices()[0]?.toolCalls;
    expect(calls?.map(({ id, name }) => id + name)).toEqual(['b', 'a', 'c']);
  });

  it('writes arguments that are an object as canonical JSON', () => {
    const piece = [{ function: { name: 'f', arguments: { b: 1, a: [2] } } }];
    expect(callsOf(piece)).toEqual([{ id: '', name: 'f', arguments: '{"a":[2],"b":1}' }]);
  });

  it('takes the text parts of a list of parts', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(whole({ choices: [{ message: { content } }] }).choices()[0]?.content).toBe('ab');
  });

  it('counts the UTF-8 bytes that it keeps', () => {
    const text = 'aë€😀\ud800';
    const answer = gathered([{ choices: [{ delta: { content: text } }] }]);
    expect(answer.contentBytes).toBe(64 + Buffer.byteLength(text));
    answer.chunk(delta([{ index: 0, id: 'ë', function: { name: 'n', arguments: '{}' } }]));
    expect(answer.contentBytes).toBe(64 + Buffer.byteLength(text) + 64 + 5);
  });

  it('takes anything, in any order, without a throw', () => {
    const known = fc.constantFrom('choices', 'index', 'delta', 'message', 'content', 'refusal');
    const more = fc.constantFrom('tool_calls', 'function', 'arguments', 'id', 'name', 'usage');
    const odd = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 8 },
        fc.constantFrom(null, true, 0, -1, 1e300, '', 'x', '\ud800'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(known, more), tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 3 }), (values) => {
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
