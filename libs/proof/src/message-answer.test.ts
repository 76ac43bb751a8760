import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerSamples } from '../test/vector-file.ts';
import { answerCommitmentText, commitAnswer } from './answer.ts';
import { createMessageAnswer } from './message-answer.ts';

function fromChunks(events: readonly unknown[]) {
  const answer = createMessageAnswer();
  for (const event of events) answer.chunk(event);
  return answer;
}

function fromBody(body: unknown) {
  const answer = createMessageAnswer();
  answer.body(body);
  return answer;
}

const blockStart = (index: unknown, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const inputDelta = (index: unknown, partial_json: unknown) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
});
const textDelta = (piece: unknown) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: piece },
});
const messageDelta = (stop_reason: unknown, usage?: unknown) => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage,
});

describe('createMessageAnswer', () => {
  it.each(answerSamples('messages'))(
    'reads the same choices from %s, plain and streamed',
    (_name, { body, chunks, choices, text: hashedText, sha256 }) => {
      expect(fromBody(body).choices()).toEqual(choices);
      expect(fromChunks(chunks).choices()).toEqual(choices);
      expect(answerCommitmentText(choices)).toBe(hashedText);
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
  ])('maps the stop reason %j to %j', (providerReason, finishReason) => {
    expect(fromBody({ content: [], stop_reason: providerReason }).finishReason).toBe(finishReason);
    expect(fromChunks([messageDelta(providerReason)]).finishReason).toBe(finishReason);
  });

  it.each([
    ['in the format of the dialect', { type: 'error', error: { type: 'overloaded_error' } }],
    ['without its object', { type: 'error' }],
    ['without its type', { error: { message: 'gone' } }],
  ])(
    'has the finish reason error after an error %s, despite a later stop reason',
    (_name, event) => {
      const answer = fromChunks([textDelta('Hi'), event, messageDelta('end_turn')]);
      expect(answer.finishReason).toBe('error');
      expect(answer.choices()).toEqual([{ index: 0, content: 'Hi', toolCalls: [] }]);
      expect(fromBody(event).finishReason).toBe('error');
      expect(fromBody(event).choices()).toEqual([]);
    },
  );

  it.each<[string, unknown[], number]>([
    ['nothing', [], 0],
    ['pings and unknown events', [{ type: 'ping' }, { type: 'x', y: 1 }, [], null], 0],
    ['the start of a message', [{ type: 'message_start', message: {} }], 1],
    ['only text', [textDelta('Hi')], 1],
    ['a stop reason alone', [messageDelta('end_turn')], 1],
  ])('counts choices correctly after %s', (_name, events, count) => {
    expect(fromChunks(events).choices()).toHaveLength(count);
  });

  it('ignores blocks that are neither text nor client tool calls', () => {
    const content = [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'mcp_tool_use', id: 'm', name: 'f', input: { a: 1 }, server_name: 's' },
      { type: 'mcp_tool_result', content: [{ type: 'text', text: 'not said' }] },
      { type: 'text', text: 'said' },
    ];
    const choices = [{ index: 0, content: 'said', toolCalls: [] }];
    expect(fromBody({ content }).choices()).toEqual(choices);
    const events = content.map((block, index) => blockStart(index, block));
    expect(fromChunks([...events, inputDelta(1, '{"a":1}')]).choices()).toEqual(choices);
  });
});

describe('the usage of a message', () => {
  const allCounts = { input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 7 };

  it.each<[string, unknown, unknown]>([
    ['zeros', { input_tokens: 0, output_tokens: 0 }, [0, 0, 0]],
    ['nothing cached', { input_tokens: 3, output_tokens: 4 }, [3, 4, 7]],
    ['cached tokens, counted once', { ...allCounts, output_tokens: 4 }, [15, 4, 19]],
    ['null', null, undefined],
    ['text', { input_tokens: '3', output_tokens: 4 }, undefined],
    ['a negative count', { input_tokens: -1, output_tokens: 4 }, undefined],
    ['no output', { input_tokens: 3 }, undefined],
    ['no input', { cache_read_input_tokens: 3, output_tokens: 4 }, undefined],
    [
      'a sum beyond 2^32-1',
      { ...allCounts, input_tokens: 2 ** 32 - 1, output_tokens: 0 },
      undefined,
    ],
  ])('is read with %s', (_name, usage, counts) => {
    const plain = fromBody({ content: [], usage }).usage;
    expect(plain && [plain.promptTokens, plain.completionTokens, plain.totalTokens]).toEqual(
      counts,
    );
    const start = { type: 'message_start', message: { usage } };
    expect(fromChunks([start, messageDelta('end_turn', usage)]).usage).toEqual(plain);
  });

  it('has cached and reasoning tokens only if the provider reports them', () => {
    const details = { cache_read_input_tokens: 0, output_tokens_details: { thinking_tokens: 2 } };
    const usage = { input_tokens: 1, output_tokens: 4, cache_creation_input_tokens: null };
    const counts = { promptTokens: 1, completionTokens: 4, totalTokens: 5 };
    expect(fromBody({ content: [], usage }).usage).toStrictEqual(counts);
    expect(fromBody({ content: [], usage: { ...usage, ...details } }).usage).toStrictEqual({
      ...counts,
      cachedTokens: 0,
      reasoningTokens: 2,
    });
    expect(
      fromBody({ content: [], usage: { ...allCounts, output_tokens: 0 } }).usage,
    ).toStrictEqual({
      promptTokens: 15,
      completionTokens: 0,
      totalTokens: 15,
      cachedTokens: 5,
      cacheWriteTokens: 7,
    });
  });

  it('combines the counts of the last event with those of the first', () => {
    const start = { type: 'message_start', message: { usage: { ...allCounts, output_tokens: 1 } } };
    const answer = fromChunks([start, textDelta('Hi')]);
    // The output count of `message_start` is not final, so no usage is reported yet.
    expect(answer.usage).toBeUndefined();
    answer.chunk(messageDelta('end_turn', { output_tokens: 9, cache_read_input_tokens: 0 }));
    expect(answer.usage).toMatchObject({ promptTokens: 10, completionTokens: 9, cachedTokens: 0 });
    answer.chunk(messageDelta(null, { input_tokens: 0, output_tokens: 11 }));
    expect(answer.usage).toMatchObject({ promptTokens: 7, completionTokens: 11, totalTokens: 18 });
  });
});

describe('the stored bytes of a message', () => {
  it('are counted in UTF-8 bytes of the stored texts', () => {
    const piece = 'aë€😀\ud800';
    const answer = fromChunks([blockStart(0, { type: 'text', text: '' }), textDelta(piece)]);
    expect(answer.contentBytes).toBe(64 + Buffer.byteLength(piece));
    answer.chunk(blockStart(1, { type: 'tool_use', id: 'ë', name: 'n', input: {} }));
    answer.chunk(inputDelta(1, '["€"]'));
    expect(answer.contentBytes).toBe(64 + Buffer.byteLength(piece) + 64 + 3 + 2 + 7);
  });

  it('do not grow with ignored blocks', () => {
    const answer = fromChunks([{ type: 'message_start', message: {} }]);
    for (let index = 0; index < 100; index += 1) {
      answer.chunk(blockStart(index, { type: 'server_tool_use', id: 'x', input: {} }));
      answer.chunk(inputDelta(index, '{"a":1}'));
      answer.chunk({ ...textDelta(''), delta: { type: 'thinking_delta', thinking: 'hm' } });
    }
    expect(answer.contentBytes).toBe(64);
  });

  it('stay bounded without errors for any values in any order', () => {
    const names = ['type', 'message', 'content', 'content_block', 'delta', 'index', 'input', 'id'];
    const more = ['text', 'partial_json', 'usage', 'stop_reason', 'error', 'input_tokens', 'name'];
    const types = ['message_start', 'content_block_start', 'content_block_delta', 'message_delta'];
    const kinds = ['text', 'tool_use', 'text_delta', 'input_json_delta', 'error', 'message'];
    const key = fc.constantFrom(...names, ...more);
    const anyValue = fc.letrec((tie) => ({
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
      fc.property(fc.array(anyValue, { maxLength: 4 }), (values) => {
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
