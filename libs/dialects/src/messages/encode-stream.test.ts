import { describe, expect, it } from '@jest/globals';
import { createSseSplitter } from '@witan/proof';
import type { FinishReason } from '@witan/proof';
import type { AnswerPiece, AnswerTail } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { encodeResponse } from './encode-response.ts';
import { createStreamEncoder } from './encode-stream.ts';

const HEAD = { id: '1', model: 'm', created: 1, promptTokensEstimate: 7, wantsUsage: false };
const USAGE = { promptTokens: 10, completionTokens: 2, totalTokens: 12, estimated: false };
const tailOf = (more: Partial<AnswerTail> = {}): AnswerTail => ({
  finishReason: 'stop',
  stopSequence: '',
  usage: USAGE,
  ...more,
});

const eventsOf = (pieces: readonly AnswerPiece[], tail = tailOf()): JsonObject[] => {
  const encoder = createStreamEncoder(HEAD);
  const text = encoder.open() + pieces.map(encoder.piece).join('') + encoder.end(tail);
  return createSseSplitter()
    .push(new TextEncoder().encode(text))
    .map(({ data }) => JSON.parse(data ?? '') as JsonObject);
};
const shapeOf = (...pieces: AnswerPiece[]): string[] =>
  eventsOf(pieces)
    .slice(1, -2)
    .map(({ type, index, content_block: block, delta }) => {
      const kind = (block ?? delta ?? {}) as { type?: string };
      return `${String(index)} ${kind.type ?? String(type)}`;
    });
const contentOf = (...pieces: AnswerPiece[]) =>
  (encodeResponse(HEAD, pieces, tailOf()) as { content: unknown }).content;

describe('createStreamEncoder', () => {
  it('starts with an empty message, a numeric estimate and no output tokens', () => {
    expect(eventsOf([])[0]).toEqual({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 0 },
      },
    });
  });

  it('opens and closes blocks in order with consecutive indexes', () => {
    expect(
      shapeOf(
        { case: 'reasoning', value: 'a' },
        { case: 'text', value: 'b' },
        { case: 'text', value: 'c' },
        { case: 'toolCall', value: { id: '1', name: 'f' } },
        { case: 'toolArguments', value: '{}' },
        { case: 'toolCall', value: { id: '2', name: 'g' } },
        { case: 'redactedReasoning', value: 'x' },
        { case: 'text', value: 'd' },
      ),
    ).toEqual([
      '0 thinking',
      '0 thinking_delta',
      '0 content_block_stop',
      '1 text',
      '1 text_delta',
      '1 text_delta',
      '1 content_block_stop',
      '2 tool_use',
      '2 input_json_delta',
      '2 content_block_stop',
      '3 tool_use',
      '3 input_json_delta',
      '3 content_block_stop',
      '4 redacted_thinking',
      '4 content_block_stop',
      '5 text',
      '5 text_delta',
      '5 content_block_stop',
    ]);
  });

  it('sends the signature of reasoning as a delta, then begins a new block', () => {
    expect(
      shapeOf(
        { case: 'reasoningSignature', value: 's' },
        { case: 'reasoning', value: 'a' },
        { case: 'reasoningSignature', value: 't' },
      ),
    ).toEqual([
      '0 thinking',
      '0 signature_delta',
      '0 content_block_stop',
      '1 thinking',
      '1 thinking_delta',
      '1 signature_delta',
      '1 content_block_stop',
    ]);
  });

  it('sends no signature delta for unsigned reasoning', () => {
    expect(shapeOf({ case: 'reasoning', value: 'a' })).not.toContain('0 signature_delta');
  });

  it('encodes a refusal as text in the current text block', () => {
    const pieces: AnswerPiece[] = [
      { case: 'text', value: 'a' },
      { case: 'refusal', value: 'b' },
    ];
    expect(shapeOf(...pieces)).toEqual([
      '0 text',
      '0 text_delta',
      '0 text_delta',
      '0 content_block_stop',
    ]);
    expect(contentOf(...pieces)).toEqual([{ type: 'text', text: 'ab' }]);
  });

  it('opens no block for empty pieces', () => {
    const pieces: AnswerPiece[] = [
      { case: 'text', value: '' },
      { case: 'reasoning', value: '' },
      { case: 'toolArguments', value: '{}' },
    ];
    expect(shapeOf(...pieces)).toEqual([]);
    expect(contentOf(...pieces)).toEqual([]);
  });
});

const CALL: AnswerPiece = { case: 'toolCall', value: { id: '1', name: 'f' } };

type End = readonly [FinishReason, string, AnswerPiece[], string, string | null];
const ENDS: readonly End[] = [
  ['stop', '', [], 'end_turn', null],
  ['stop', '§', [], 'stop_sequence', '§'],
  ['length', '', [], 'max_tokens', null],
  ['length', '', [CALL], 'max_tokens', null],
  ['tool_calls', '', [CALL], 'tool_use', null],
  // Some providers report `stop` for a forced tool call, and some runtimes report `tool_calls`
  // without a call.
  ['stop', '', [CALL], 'tool_use', null],
  ['tool_calls', '', [], 'end_turn', null],
  ['content_filter', '', [], 'refusal', null],
];

describe('the encoded end of an answer, complete and streamed', () => {
  it.each(ENDS)(
    'represents %s %p with %j as %s',
    (finishReason, stopSequence, pieces, reason, sequence) => {
      const tail = tailOf({ finishReason, stopSequence });
      const output = { stop_reason: reason, stop_sequence: sequence };
      expect(encodeResponse(HEAD, pieces, tail)).toMatchObject(output);
      expect(eventsOf(pieces, tail).slice(-2)).toEqual([
        { type: 'message_delta', delta: output, usage: { input_tokens: 10, output_tokens: 2 } },
        { type: 'message_stop' },
      ]);
    },
  );

  it('counts cached and cache-written tokens once, and preserves 0', () => {
    const usage = { ...USAGE, cachedTokens: 6, cacheWriteTokens: 0, reasoningTokens: 1 };
    const expected = {
      input_tokens: 4,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 6,
      output_tokens: 2,
      output_tokens_details: { thinking_tokens: 1 },
    };
    expect(encodeResponse(HEAD, [], tailOf({ usage }))).toMatchObject({ usage: expected });
    expect(eventsOf([], tailOf({ usage })).at(-2)).toMatchObject({ usage: expected });
  });

  it('never has a negative count', () => {
    const usage = { ...USAGE, cachedTokens: 600 };
    expect(encodeResponse(HEAD, [], tailOf({ usage }))).toMatchObject({
      usage: { input_tokens: 0 },
    });
  });
});

describe('encodeResponse', () => {
  const called = (json: string) =>
    contentOf(
      { case: 'toolCall', value: { id: '1', name: 'f' } },
      { case: 'toolArguments', value: json },
    );

  it.each([
    ['{"a":1}', { a: 1 }],
    [' ', {}],
    ['[1]', '[1]'],
    ['"a"', '"a"'],
    ['{"a":', '{"a":'],
  ])('encodes the arguments %j as the input %j', (json, input) => {
    expect(called(json)).toEqual([{ type: 'tool_use', id: '1', name: 'f', input }]);
  });

  it('preserves the spelling of numbers', () => {
    expect(JSON.stringify(called('{"id":12345678901234567890}'))).toContain(
      '"input":{"id":12345678901234567890}',
    );
  });

  it('encodes unsigned reasoning with an empty signature', () => {
    expect(contentOf({ case: 'reasoning', value: 'a' })).toEqual([
      { type: 'thinking', thinking: 'a', signature: '' },
    ]);
  });

  it('begins a new thinking block after a signature', () => {
    expect(
      contentOf(
        { case: 'reasoning', value: 'a' },
        { case: 'reasoningSignature', value: 's' },
        { case: 'reasoning', value: 'b' },
      ),
    ).toEqual([
      { type: 'thinking', thinking: 'a', signature: 's' },
      { type: 'thinking', thinking: 'b', signature: '' },
    ]);
  });
});
