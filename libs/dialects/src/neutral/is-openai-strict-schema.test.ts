import { describe, expect, it } from '@jest/globals';
import { isOpenaiStrictSchema } from './is-openai-strict-schema.ts';

const TEXT = { type: 'string' };
const closed = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const nested = (levels: number): object =>
  levels === 0 ? TEXT : closed({ a: nested(levels - 1) });

describe('isOpenaiStrictSchema', () => {
  it.each([
    ['a closed object that requires all properties', closed({ a: TEXT })],
    ['an object without properties', closed({})],
    ['objects in objects and lists', closed({ a: { type: 'array', items: closed({ b: TEXT }) } })],
    ['definitions', { ...closed({ a: { $ref: '#/$defs/x' } }), $defs: { x: closed({ y: TEXT }) } }],
    ['a choice', closed({ a: { anyOf: [TEXT, { type: 'null' }], description: 'd' } })],
    ['types and bounds', closed({ a: { type: ['number', 'null'], minimum: 1, enum: [1, null] } })],
    ['properties named like keywords', closed({ not: TEXT, $ref: TEXT, type: TEXT })],
    ['ten levels', nested(9)],
  ])('is true for %s', (_name, schema) => {
    expect(isOpenaiStrictSchema(schema)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['an empty schema', {}],
    ['a root that is not an object', { type: 'array', items: { type: 'number' } }],
    ['a root that is a choice', { ...closed({}), anyOf: [closed({})] }],
    ['an open object', { type: 'object', properties: { a: TEXT }, required: ['a'] }],
    ['an optional property', closed({ a: TEXT, b: TEXT }, ['a'])],
    ['a free-form object', { type: 'object' }],
    ['a property of any type', closed({ a: {} })],
    ['a property that is not a schema', closed({ a: true })],
    ['an open object deep inside', closed({ a: { anyOf: [closed({}), { type: 'object' }] } })],
    ['a nullable open object', closed({ a: { type: ['object', 'null'] } })],
    ['an open definition', { ...closed({}), $defs: { x: { type: 'object' } } }],
    ['oneOf', closed({ a: { oneOf: [TEXT, { type: 'null' }] } })],
    ['allOf', closed({ a: { type: 'string', allOf: [TEXT] } })],
    ['not', closed({ a: { type: 'string', not: { const: 'x' } } })],
    ['patternProperties', { ...closed({}), patternProperties: { '^x': TEXT } }],
    ['an unknown keyword', closed({ a: { ...TEXT, minWords: 1 } })],
    ['a default', closed({ a: { ...TEXT, default: 'x' } })],
    ['a reference with a description', closed({ a: { $ref: '#', description: 'd' } })],
    ['a list without items', closed({ a: { type: 'array' } })],
    ['an unknown format', closed({ a: { ...TEXT, format: 'uri' } })],
    ['eleven levels', nested(10)],
  ])('is false for %s', (_name, schema) => {
    expect(isOpenaiStrictSchema(schema)).toBe(false);
  });
});
