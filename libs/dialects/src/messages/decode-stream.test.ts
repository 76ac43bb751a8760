import { describe, expect, it } from '@jest/globals';
import type { AnswerPiece } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createStreamDecoder } from './decode-stream.ts';

const start = (index: number, block: JsonObject) => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const delta = (index: number, change: JsonObject) => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
const stop = (index: number) => ({ type: 'content_block_stop', index });
const textDelta = (index: number, text: string) => delta(index, { type: 'text_delta', text });
const argumentsDelta = (index: number, json: string) =>
  delta(index, { type: 'input_json_delta', partial_json: json });
const call = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'f', input });

const decode = (...events: JsonObject[]): AnswerPiece[] => {
  const decoder = createStreamDecoder();
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
};
const opened = (id: string): AnswerPiece => ({ case: 'toolCall', value: { id, name: 'f' } });
const args = (value: string): AnswerPiece => ({ case: 'toolArguments', value });
const text = (value: string): AnswerPiece => ({ case: 'text', value });

describe('createStreamDecoder', () => {
  it('emits every piece immediately', () => {
    const decoder = createStreamDecoder();
    expect(decoder.push(start(0, { type: 'text', text: '' }))).toEqual([]);
    expect(decoder.push(textDelta(0, 'a'))).toEqual([text('a')]);
    expect(decoder.push(stop(0))).toEqual([]);
    expect(decoder.push(start(1, call('1')))).toEqual([opened('1')]);
    expect(decoder.push(argumentsDelta(1, '{"a"'))).toEqual([args('{"a"')]);
  });

  it.each([
    ['no deltas at all', [start(0, call('1')), stop(0)], '{}'],
    ['empty deltas only', [start(0, call('1')), argumentsDelta(0, ''), stop(0)], '{}'],
    ['the complete input at the start', [start(0, call('1', { a: 1 })), stop(0)], '{"a":1}'],
    ['no stop before the end', [start(0, call('1', { a: 1 }))], '{"a":1}'],
    [
      'an input beside deltas',
      [start(0, call('1', { a: 1 })), argumentsDelta(0, '{}'), stop(0)],
      '{}',
    ],
    ['no input', [start(0, { type: 'tool_use', id: '1', name: 'f' }), stop(0)], '{}'],
  ])('emits the arguments of a call with %s once', (_name, events, expected) => {
    expect(decode(...events)).toEqual([opened('1'), args(expected)]);
  });

  it('emits an empty object for a call without arguments before the next block', () => {
    expect(decode(start(0, call('1')), stop(0), start(1, call('2')), stop(1))).toEqual([
      opened('1'),
      args('{}'),
      opened('2'),
      args('{}'),
    ]);
  });

  it('buffers a block that opens before the previous one has ended', () => {
    const pieces = decode(
      start(0, call('1')),
      start(1, call('2')),
      argumentsDelta(1, '{"b":'),
      argumentsDelta(0, '{"a":1}'),
      start(2, { type: 'text', text: '' }),
      textDelta(2, 'c'),
      stop(1),
      stop(0),
      argumentsDelta(1, '2}'),
      stop(2),
    );
    expect(pieces).toEqual([opened('1'), args('{"a":1}'), opened('2'), args('{"b":'), text('c')]);
  });

  it('reports the buffered size, which returns to zero', () => {
    const decoder = createStreamDecoder();
    const lengths = [
      start(0, { type: 'text', text: '' }),
      start(1, call('2')),
      argumentsDelta(1, '{"b":'),
      stop(1),
      stop(0),
      start(0, call('3', { a: 1 })),
    ].map((event) => {
      decoder.push(event);
      return decoder.bufferedSize;
    });
    const expectedSize = 64 + 64 + 2 + 64 + 2;
    expect(lengths).toEqual([
      64,
      expectedSize,
      expectedSize + 64 + 5,
      expectedSize + 64 + 5,
      0,
      64 + 7,
    ]);
    decoder.end();
    expect(decoder.bufferedSize).toBe(0);
  });

  it('ends a block when another one opens with its index', () => {
    expect(decode(start(0, call('1')), start(0, call('2')), argumentsDelta(0, '{"a":1}'))).toEqual([
      opened('1'),
      args('{}'),
      opened('2'),
      args('{"a":1}'),
    ]);
  });

  it("omits blocks of the provider's tools and unknown blocks", () => {
    const pieces = decode(
      start(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      argumentsDelta(0, '{"query":"x"}'),
      stop(0),
      start(1, { type: 'web_search_tool_result', content: [] }),
      stop(1),
      start(2, { type: 'text', text: 'a' }),
      delta(2, { type: 'citations_delta', citation: {} }),
      textDelta(2, 'b'),
      stop(2),
      { type: 'novelty' },
    );
    expect(pieces).toEqual([text('a'), text('b')]);
  });

  it('accepts deltas without a block start', () => {
    expect(decode(textDelta(0, 'a'), textDelta(0, 'b'))).toEqual([text('a'), text('b')]);
  });

  it('accepts a complete message in its start event', () => {
    const content = [{ type: 'text', text: 'a' }, call('1', { a: 1 })];
    expect(decode({ type: 'message_start', message: { content } })).toEqual([
      text('a'),
      opened('1'),
      args('{"a":1}'),
    ]);
  });

  it('reports which stop sequence ended the answer', () => {
    const decoder = createStreamDecoder();
    expect(decoder.stopSequence).toBe('');
    decoder.push({
      type: 'message_delta',
      delta: { stop_reason: 'stop_sequence', stop_sequence: '§' },
    });
    decoder.push({ type: 'message_delta', delta: { stop_sequence: null } });
    expect(decoder.stopSequence).toBe('§');
  });

  it.each([
    [{}],
    [{ type: 5 }],
    [{ type: 'message_start', message: 'x' }],
    [{ type: 'message_start', message: { content: [null, 5, { type: 'text', text: 5 }] } }],
    [{ type: 'content_block_start', content_block: 'x', index: 'y' }],
    [{ type: 'content_block_delta', delta: [] }],
    [{ type: 'content_block_delta', index: -1, delta: { type: 'text_delta', text: 5 } }],
    [{ type: 'content_block_stop' }],
    [{ type: 'message_delta', delta: { stop_sequence: 5 } }],
  ])('ignores the invalid input %j', (event) => {
    expect(decode(event)).toEqual([]);
  });
});
