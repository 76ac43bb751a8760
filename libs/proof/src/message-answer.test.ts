import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerSamples } from '../test/answer-samples.ts';
import { answerCommitmentText, commitAnswer } from './answer.ts';
import { createMessageAnswer } from './message-answer.ts';

function gathered(events: readonly unknown[]) {
  const answer = createMessageAnswer();
  for (const event of events) answer.chunk(event);
  return answer;
}

function whole(body: unknown) {
  const answer = createMessageAnswer();
  answer.body(body);
  return answer;
}

const opened = (index: unknown, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const grown = (index: unknown, partial_json: unknown) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
});
const text = (piece: unknown) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: piece },
});
const ended = (stop_reason: unknown, usage?: unknown) => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage,
});

describe('createMessageAnswer', () => {
  it.each(answerSamples('messages'))(
    'reads the same choices from %s, plain and streamed',
    (_name, { body, chunks, choices, text: hashed, sha256 }) => {
      expect(whole(body).choices()).toEqual(choices);
      expect(gathered(chunks).choices()).toEqual(choices);
      expect(answerCommitmentText(choices)).toBe(hashed);
      expect(commitAnswer(choices)).toBe(sha256);
    },
  );

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['compaction', 'stop'],
    ['', undefined],
    [null, undefined],
    [7, undefined],
  ])('maps the stop reason %j to %j', (word, finishReason) => {
    expect(whole({ content: [], stop_reason: word }).finishReason).toBe(finishReason);
    expect(gathered([ended(word)]).finishReason).toBe(finishReason);
  });

  it.each([
    ['as the dialect has it', { type: 'error', error: { type: 'overloaded_error' } }],
    ['without its object', { type: 'error' }],
    ['without its type', { error: { message: 'gone' } }],
  ])('ends in error by an error %s, whatever comes after it', (_name, event) => {
    const answer = gathered([text('Hi'), event, ended('end_turn')]);
    expect(answer.finishReason).toBe('error');
    expect(answer.choices()).toEqual([{ index: 0, content: 'Hi', toolCalls: [] }]);
    expect(whole(event).finishReason).toBe('error');
    expect(whole(event).choices()).toEqual([]);
  });

  it.each<[string, unknown[], number]>([
    ['nothing', [], 0],
    ['pings and events unknown to it', [{ type: 'ping' }, { type: 'x', y: 1 }, [], null], 0],
    ['a message that began', [{ type: 'message_start', message: {} }], 1],
    ['text alone', [text('Hi')], 1],
    ['an end alone', [ended('end_turn')], 1],
  ])('has its choice once there was one: after %s', (_name, events, count) => {
    expect(gathered(events).choices()).toHaveLength(count);
  });

  it('leaves out what is neither text nor a call for the client to run', () => {
    const content = [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'mcp_tool_use', id: 'm', name: 'f', input: { a: 1 }, server_name: 's' },
      { type: 'mcp_tool_result', content: [{ type: 'text', text: 'not said' }] },
      { type: 'text', text: 'said' },
    ];
    const choices = [{ index: 0, content: 'said', toolCalls: [] }];
    expect(whole({ content }).choices()).toEqual(choices);
    const events = content.map((block, index) => opened(index, block));
    expect(gathered([...events, grown(1, '{"a":1}')]).choices()).toEqual(choices);
  });
});

describe('the usage of a message', () => {
  const all = { input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 7 };

  it.each<[string, unknown, unknown]>([
    ['zeros', { input_tokens: 0, output_tokens: 0 }, [0, 0, 0]],
    ['nothing cached', { input_tokens: 3, output_tokens: 4 }, [3, 4, 7]],
    ['cached tokens, counted once', { ...all, output_tokens: 4 }, [15, 4, 19]],
    ['null', null, undefined],
    ['text', { input_tokens: '3', output_tokens: 4 }, undefined],
    ['a negative count', { input_tokens: -1, output_tokens: 4 }, undefined],
    ['no output', { input_tokens: 3 }, undefined],
    ['no input', { cache_read_input_tokens: 3, output_tokens: 4 }, undefined],
    ['a sum beyond 2^32-1', { ...all, input_tokens: 2 ** 32 - 1, output_tokens: 0 }, undefined],
  ])('is read with %s', (_name, usage, counts) => {
    const plain = whole({ content: [], usage }).usage;
    expect(plain && [plain.promptTokens, plain.completionTokens, plain.totalTokens]).toEqual(
      counts,
    );
    const start = { type: 'message_start', message: { usage } };
    expect(gathered([start, ended('end_turn', usage)]).usage).toEqual(plain);
  });

  it('says what was cached and thought just when the provider did', () => {
    const details = { cache_read_input_tokens: 0, output_tokens_details: { thinking_tokens: 2 } };
    const usage = { input_tokens: 1, output_tokens: 4, cache_creation_input_tokens: null };
    const counts = { promptTokens: 1, completionTokens: 4, totalTokens: 5 };
    expect(whole({ content: [], usage }).usage).toStrictEqual(counts);
    expect(whole({ content: [], usage: { ...usage, ...details } }).usage).toStrictEqual({
      ...counts,
      cachedTokens: 0,
      reasoningTokens: 2,
    });
    expect(whole({ content: [], usage: { ...all, output_tokens: 0 } }).usage).toStrictEqual({
      promptTokens: 15,
      completionTokens: 0,
      totalTokens: 15,
      cachedTokens: 5,
      cacheWriteTokens: 7,
    });
  });

  it('is that of the last event, with what only the first one said', () => {
    const start = { type: 'message_start', message: { usage: { ...all, output_tokens: 1 } } };
    const answer = gathered([start, text('Hi')]);
    expect(answer.usage).toBeUndefined(); // `message_start` reports one output token, which is not the final count
    answer.chunk(ended('end_turn', { output_tokens: 9, cache_read_input_tokens: 0 }));
    expect(answer.usage).toMatchObject({ promptTokens: 10, completionTokens: 9, cachedTokens: 0 });
    answer.chunk(ended(null, { input_tokens: 0, output_tokens: 11 }));
    expect(answer.usage).toMatchObject({ promptTokens: 7, completionTokens: 11, totalTokens: 18 });
  });
});

describe('the memory of a message', () => {
  it('is counted in UTF-8 bytes of what is kept', () => {
    const piece = 'aë€😀\ud800';
    const answer = gathered([text(piece)]);
    expect(answer.contentBytes).toBe(64 + Buffer.byteLength(piece));
    answer.chunk(opened(1, { type: 'tool_use', id: 'ë', name: 'n', input: {} }));
    answer.chunk(grown(1, '["€"]'));
    expect(answer.contentBytes).toBe(64 + Buffer.byteLength(piece) + 64 + 3 + 2 + 7);
  });

  it('does not grow by what is left out', () => {
    const answer = gathered([{ type: 'message_start', message: {} }]);
    for (let index = 0; index < 100; index += 1) {
      answer.chunk(opened(index, { type: 'server_tool_use', id: 'x', input: {} }));
      answer.chunk(grown(index, '{"a":1}'));
      answer.chunk({ ...text(''), delta: { type: 'thinking_delta', thinking: 'hm' } });
    }
    expect(answer.contentBytes).toBe(64);
  });

  it('takes anything, in any order, without a throw', () => {
    const names = ['type', 'message', 'content', 'content_block', 'delta', 'index', 'input', 'id'];
    const more = ['text', 'partial_json', 'usage', 'stop_reason', 'error', 'input_tokens', 'name'];
    const types = ['message_start', 'content_block_start', 'content_block_delta', 'message_delta'];
    const kinds = ['text', 'tool_use', 'text_delta', 'input_json_delta', 'error', 'message'];
    const key = fc.constantFrom(...names, ...more);
    const odd = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 8 },
        fc.constantFrom(null, true, 0, 1, -1, 1e300, '', '{', '{}', '\ud800', ...types, ...kinds),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
        fc.record({ type: fc.constantFrom(...types), message: tie('value'), index: tie('value') }),
        fc.record({ type: fc.constantFrom(...kinds), input: tie('value'), text: tie('value') }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 4 }), (values) => {
        const answer = createMessageAnswer();
        for (const value of values) {
          answer.chunk(value);
          answer.body(value);
        }
        expect(commitAnswer(answer.choices())).toHaveLength(64);
        expect(answer.contentBytes).toBeGreaterThanOrEqual(0);
        expect(answer.usage?.totalTokens ?? 0).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });
});
