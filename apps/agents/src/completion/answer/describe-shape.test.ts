import { describe, expect, it } from '@jest/globals';
import { describeShape, toRequestedJson } from './describe-shape.ts';

const INSTRUCTION =
  'Answer with one JSON object and nothing else: no text around it, no code fence, no comments.';
const THOUGHTS =
  'Its first field is "thoughts", a text: reason there, step by step, before you fill in the rest.';
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
const FIELDS = { summary: 'One\nsentence', 'a"b': '' };
const VALUE = { type: ['string', 'number', 'boolean', 'array', 'object'] };
const FIELD_SCHEMA = {
  type: 'object',
  properties: { summary: { ...VALUE, description: 'One sentence' }, 'a"b': VALUE },
  required: ['summary', 'a"b'],
};
const WORDS = '{ items: [\n  string ] }\n';

describe('the shape of an answer in JSON', () => {
  it.each([
    ['any object', {}, true, [INSTRUCTION]],
    ['no fields at all', { fields: {}, schema: ' ' }, true, [INSTRUCTION]],
    ['fields', { fields: FIELDS }, FIELD_SCHEMA, [INSTRUCTION]],
    ['a JSON Schema', { schema: JSON.stringify(SCHEMA) }, SCHEMA, [INSTRUCTION]],
    [
      'a description in words',
      { schema: WORDS },
      true,
      [INSTRUCTION, 'The object has this shape:', '{ items: [', '  string ] }'],
    ],
    [
      'fields and a schema',
      { fields: FIELDS, schema: '{"type":"object","properties":{}}' },
      FIELD_SCHEMA,
      [INSTRUCTION, 'The object has this shape:', '{"type":"object","properties":{}}'],
    ],
    [
      'a schema of no object',
      { schema: '[1]' },
      true,
      [INSTRUCTION, 'The object has this shape:', '[1]'],
    ],
  ])('is requested as a schema or in words: %s', (_name, shape, requested, lines) => {
    expect(toRequestedJson(shape)).toEqual(requested);
    expect(describeShape(shape)).toBe(lines.join('\n'));
  });

  it('has thoughts before the other fields', () => {
    const shape = { fields: { a: 'A' } };
    const { properties, required } = toRequestedJson(shape, { hasThoughts: true }) as typeof SCHEMA;
    expect([Object.keys(properties), required]).toEqual([
      ['thoughts', 'a'],
      ['thoughts', 'a'],
    ]);
    expect(describeShape(shape, { hasThoughts: true })).toBe(`${INSTRUCTION}\n${THOUGHTS}`);
  });
});
