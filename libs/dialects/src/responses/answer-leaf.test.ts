import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../json/json-value.ts';
import { arbitraryBody, arbitraryPath, classifyLeaves, markOf } from '../../test/string-leaves.ts';
import { encodeSlot, endsSlot, findAnswerLeaf, findFrameLeaf, renumberFrame } from './response.ts';
import { responses } from './dialect.ts';

const FORMS: Readonly<Record<string, unknown>> = { T: 'text', J: 'json', V: 'value' };

/** Output items whose strings begin with the mark of their form, except those that are fixed. */
const ITEMS: readonly JsonObject[] = [
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [
      { type: 'output_text', text: 'T:', annotations: [{ type: 'url_citation', title: 'T:' }] },
      { type: 'refusal', refusal: 'T:' },
    ],
  },
  { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: 'J:{}' },
  { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'T:' },
  {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'T:' }],
    encrypted_content: 'gAAA',
  },
  { type: 'mcp_call', name: 'g', arguments: 'J:{}', output: 'T:', server_label: 's' },
  { type: 'web_search_call', action: { type: 'V:', query: 'V:' } },
  { type: 'image_generation_call', result: 'AAAA' },
];

const expectMarks = (
  value: JsonObject,
  find: (path: readonly (string | number)[], value: JsonObject) => { form: string } | undefined,
): void => {
  expect(classifyLeaves(value, ({ path }) => find(path, value)?.form)).toEqual(
    classifyLeaves(value, (leaf) => FORMS[markOf(leaf)]),
  );
};

describe('the leaves of a response', () => {
  it.each(ITEMS)('are restored in an item of type $type', (item) => {
    expectMarks({ output: [item] }, findAnswerLeaf);
    expectMarks({ type: 'response.output_item.done', item }, findFrameLeaf);
    const response = { status: 'completed', output: [item] };
    expectMarks({ type: 'response.completed', response }, findFrameLeaf);
  });

  it('are restored in an error and in the members of the request that it repeats', () => {
    expectMarks(
      {
        id: 'resp_1',
        model: 'm',
        error: { code: 'server_error', message: 'T:' },
        instructions: 'T:',
        metadata: { owner: 'V:' },
        safety_identifier: 'T:',
        prompt_cache_key: 'T:',
        user: 'T:',
        tools: [{ type: 'function', name: 'f', description: 'T:' }],
        text: { format: { type: 'json_schema', name: 'n', description: 'T:' } },
      },
      findAnswerLeaf,
    );
  });

  it.each([
    [{ type: 'response.output_text.done', item_id: 'm', text: 'T:' }],
    [{ type: 'response.refusal.done', item_id: 'm', refusal: 'T:' }],
    [{ type: 'response.function_call_arguments.done', name: 'f', arguments: 'J:{}' }],
    [{ type: 'response.content_part.done', part: { type: 'output_text', text: 'T:' } }],
    [{ type: 'response.output_text.annotation.added', annotation: { title: 'T:' } }],
    [{ type: 'error', code: 'server_error', message: 'T:', param: null }],
    [{ type: 'response.of_tomorrow', note: 'x' }],
  ])('are restored in the event %j', (event) => {
    expectMarks(event, findFrameLeaf);
  });

  it.each([
    ['response.output_text', 'text', { content_index: 1 }],
    ['response.refusal', 'text', { content_index: 1 }],
    ['response.reasoning_summary_text', 'text', { summary_index: 1 }],
    ['response.reasoning', 'text', { content_index: 1 }],
    ['response.audio.transcript', 'text', {}],
    ['response.function_call_arguments', 'json', {}],
    ['response.custom_tool_call_input', 'text', {}],
  ])('append to a slot in the deltas of %s', (stem, form, index) => {
    const place = { item_id: 'i', output_index: 2, ...index };
    const event = { type: `${stem}.delta`, sequence_number: 4, ...place, delta: 'a' };
    const leaf = findFrameLeaf(['delta'], event)!;
    expect(leaf.form).toBe(form);
    const slot = leaf.slot!;
    expect(endsSlot(event, slot)).toBe(false);
    expect(endsSlot({ type: `${stem}.done`, ...place }, slot)).toBe(true);
    expect(endsSlot({ type: `${stem}.done`, ...place, output_index: 0 }, slot)).toBe(false);
    expect(endsSlot({ type: 'response.output_item.done', output_index: 2 }, slot)).toBe(true);
    expect(endsSlot({ type: 'response.failed' }, slot)).toBe(true);
    const [name, data] = encodeSlot(event, slot, 'b').split('\n');
    expect(name).toBe(`event: ${stem}.delta`);
    expect(JSON.parse(data!.slice('data: '.length))).toMatchObject({
      ...event,
      sequence_number: 5,
      delta: 'b',
    });
  });

  it('do not change when a frame gets another number', () => {
    const data = '{"type": "x", "sequence_number": 7,  "delta":"\\u00eb" }';
    const event = JSON.parse(data) as JsonObject;
    expect(renumberFrame(data, event, 2)).toBe(data.replace('7', '9'));
    expect(renumberFrame('{"a":1}', { a: 1 }, 2)).toBe('{"a":1}');
  });

  it('can be of any form', () => {
    const keys = [
      'output',
      'item',
      'part',
      'response',
      'content',
      'text',
      'tools',
      'delta',
      'type',
    ];
    const value = arbitraryBody(keys, ['message', 'function_call', 'response.output_text.delta']);
    fc.assert(
      fc.property(value, arbitraryPath(keys), (body, path) => {
        for (const read of [responses.toRequestLeaf, findAnswerLeaf, findFrameLeaf]) {
          expect(() => read(path, body)).not.toThrow();
        }
      }),
    );
  });
});
