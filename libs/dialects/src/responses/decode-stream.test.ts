import { describe, expect, it } from '@jest/globals';
import type { AnswerPiece } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { decodeResponse } from './decode-response.ts';
import { createStreamDecoder } from './decode-stream.ts';

const decode = (events: readonly JsonObject[]): AnswerPiece[] => {
  const decoder = createStreamDecoder();
  const pieces = events.flatMap((event) => decoder.push(event));
  return [...pieces, ...decoder.end()];
};
const added = (output_index: number, item: JsonObject) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: JsonObject) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const textDelta = (output_index: number, delta: string, content_index = 0) => ({
  type: 'response.output_text.delta',
  output_index,
  content_index,
  delta,
});
const argumentsDelta = (output_index: number, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
});
const MESSAGE = { type: 'message', content: [] };
const call = (call_id: string, args = '') => ({
  type: 'function_call',
  call_id,
  name: 'f',
  arguments: args,
});
const text = (value: string): AnswerPiece => ({ case: 'text', value });
const callPieces = (id: string, ...pieces: string[]): AnswerPiece[] => [
  { case: 'toolCall', value: { id, name: 'f' } },
  ...pieces.map((value): AnswerPiece => ({ case: 'toolArguments', value })),
];
const withText = (value: string) => ({
  type: 'message',
  content: [{ type: 'output_text', text: value }],
});

describe('the decoder of a responses stream', () => {
  it.each<[string, JsonObject[]]>([
    [
      'the end of the text',
      [
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi' },
        done(0, withText('Hi')),
      ],
    ],
    ['the finished item', [done(0, withText('Hi'))]],
    [
      'the final response',
      [{ type: 'response.completed', response: { output: [withText('Hi')] } }],
    ],
  ])('reads a text that only %s carries, once', (_name, events) => {
    expect(decode([added(0, MESSAGE), ...events])).toEqual([text('Hi')]);
    expect(decode(events)).toEqual([text('Hi')]);
  });

  it.each<[string, JsonObject[]]>([
    ['the finished item', [done(0, call('a', '{"x":1}'))]],
    [
      'the final response',
      [{ type: 'response.incomplete', response: { output: [call('a', '{"x":1}')] } }],
    ],
  ])('reads a call whose arguments only %s carries', (_name, events) => {
    const expected = callPieces('a', '{"x":1}');
    expect(decode([added(0, call('a')), ...events])).toEqual(expected);
    expect(decode(events)).toEqual(expected);
  });

  it('does not read a text twice that deltas and later events carry', () => {
    const events = [
      added(0, MESSAGE),
      textDelta(0, 'H'),
      textDelta(0, 'i'),
      { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi' },
      done(0, withText('Hi')),
      { type: 'response.completed', response: { output: [withText('Hi')] } },
    ];
    expect(decode(events)).toEqual([text('H'), text('i')]);
  });

  it('does not mix the pieces of calls whose events are interleaved', () => {
    const events = [
      added(0, call('a')),
      added(1, call('b')),
      argumentsDelta(1, '{"b"'),
      argumentsDelta(0, '{"a"'),
      argumentsDelta(1, ':2}'),
      argumentsDelta(0, ':1}'),
      done(1, call('b', '{"b":2}')),
      done(0, call('a', '{"a":1}')),
    ];
    expect(decode(events)).toEqual([
      ...callPieces('a', '{"a"', ':1}'),
      ...callPieces('b', '{"b"', ':2}'),
    ]);
  });

  it('counts what it buffers', () => {
    const decoder = createStreamDecoder();
    decoder.push(added(0, MESSAGE));
    const before = decoder.bufferedSize;
    decoder.push(added(1, MESSAGE));
    decoder.push(textDelta(1, 'x'.repeat(1_000)));
    expect(decoder.bufferedSize - before).toBeGreaterThan(1_000);
    decoder.end();
    expect(decoder.bufferedSize).toBe(0);
  });

  it('ignores arguments of a call whose name did not arrive', () => {
    expect(decode([argumentsDelta(0, '{"a":1}'), textDelta(1, 'Hi')])).toEqual([text('Hi')]);
    expect(decode([added(0, call('a')), textDelta(0, 'Hi')])).toEqual(callPieces('a'));
  });

  it('ignores the end of an item of another kind than its beginning', () => {
    expect(decode([textDelta(0, 'Hi'), done(0, call('a', '{"a":1}'))])).toEqual([text('Hi')]);
    expect(decode([added(0, call('a')), done(0, withText('Hi'))])).toEqual(callPieces('a'));
  });

  it('ignores items and events of other types', () => {
    const search = { type: 'web_search_call', id: 'ws' };
    const events = [
      added(0, search),
      { type: 'response.web_search_call.searching', output_index: 0 },
      done(0, search),
      { type: 'response.of_tomorrow.delta', output_index: 0, delta: 'x' },
      textDelta(1, 'Hi'),
    ];
    expect(decode(events)).toEqual([text('Hi')]);
  });

  it('reads summaries or text of reasoning, and names its dialect in the signature', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'One' },
        { type: 'summary_text', text: 'Two' },
      ],
      encrypted_content: 'c2VjcmV0',
    };
    const expected: AnswerPiece[] = [
      { case: 'reasoning', value: 'One' },
      { case: 'reasoning', value: '\n\nTwo' },
      { case: 'reasoningSignature', value: 'witan-responses:rs_1:c2VjcmV0' },
    ];
    const delta = (summary_index: number, value: string) => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index,
      delta: value,
    });
    expect(decode([delta(0, 'One'), delta(1, 'Two'), done(0, item)])).toEqual(expected);
    expect(decode([done(0, item)])).toEqual(expected);
    expect(decodeResponse({ output: [item] }).pieces).toEqual(expected);
  });
});
