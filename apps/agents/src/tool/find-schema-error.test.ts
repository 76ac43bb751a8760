import { describe, expect, it } from '@jest/globals';
import { findSchemaError, isDraft07 } from './find-schema-error.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const pathOf = (schema: object): string | undefined =>
  findSchemaError(schema as Record<string, unknown>)?.path;

describe('findSchemaError', () => {
  it.each<[string, object]>([
    ['nothing at all', {}],
    ['properties with names of keywords', { properties: { $id: {}, $ref: {}, typ: {} } }],
    ['values that look like schemas', { const: { typ: 1 }, enum: [{ $ref: 'a' }], default: {} }],
    ['examples that look like schemas', { examples: [{ $id: 1 }], $comment: 'x' }],
    ['booleans for schemas', { properties: { a: true }, items: false, allOf: [true] }],
    ['references within the schema', { $defs: { 'a/b~c%': {} }, $ref: '#/$defs/a~1b~0c%25' }],
    ['references to itself', { properties: { a: { $ref: '#' } } }],
    ['references to booleans', { $defs: { a: true }, $ref: '#/$defs/a' }],
    ['a draft', { $schema: DRAFT_2020, prefixItems: [{}], dependentSchemas: { a: {} } }],
    ['draft-07', { $schema: DRAFT_07, items: [{}], dependencies: { a: ['b'], b: {} } }],
  ])('accepts a schema with %s', (_name, schema) => {
    expect(findSchemaError(schema as Record<string, unknown>)).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['a misspelt keyword', { requird: [] }, 'requird'],
    [
      'a misspelt keyword deep inside',
      { properties: { a: { items: { typ: 1 } } } },
      'properties.a.items.typ',
    ],
    ['a misspelt keyword in a list', { anyOf: [{}, { typ: 1 }] }, 'anyOf[1].typ'],
    ['a misspelt keyword in a definition', { $defs: { a: { typ: 1 } } }, '$defs.a.typ'],
    ['a keyword of draft-07', { dependencies: {} }, 'dependencies'],
    ['a keyword of 2020-12', { $schema: DRAFT_07, prefixItems: [] }, 'prefixItems'],
    ['an unknown draft', { $schema: 'http://json-schema.org/schema#' }, '$schema'],
    ['a draft that is not a string', { $schema: 7 }, '$schema'],
    ['a nested $schema', { properties: { a: { $schema: DRAFT_2020 } } }, 'properties.a.$schema'],
    ['an id', { $id: 'https://a.example/' }, '$id'],
    ['an anchor inside', { properties: { a: { $anchor: 'a' } } }, 'properties.a.$anchor'],
    ['a dynamic reference', { $dynamicRef: '#a' }, '$dynamicRef'],
    ['a remote reference', { $ref: 'https://a.example/' }, '$ref'],
    ['a relative reference', { $ref: 'a.json' }, '$ref'],
    ['a reference to an anchor', { $ref: '#a' }, '$ref'],
    ['a reference to nothing', { $ref: '#/$defs/a' }, '$ref'],
    ['a reference to a list', { $ref: '#/required', required: [] }, '$ref'],
    ['a reference to an inherited member', { $ref: '#/constructor' }, '$ref'],
    ['a reference with invalid encoding', { $ref: '#/%' }, '$ref'],
    ['an invalid pattern', { properties: { a: { pattern: '[' } } }, 'properties.a.pattern'],
    ['an invalid pattern for names', { patternProperties: { '(': {} } }, 'patternProperties.('],
    ['then without if', { then: {} }, 'then'],
    ['nullable without a type', { nullable: true }, 'nullable'],
    ['minContains alone', { minContains: 1 }, 'minContains'],
    ['an empty enum', { enum: [] }, 'enum'],
  ])('locates the error: %s', (_name, schema, path) => {
    expect(pathOf(schema)).toBe(path);
  });

  it('leaves values of a wrong type to the compiler', () => {
    expect(pathOf({ properties: 5, items: 'a', allOf: {}, $ref: 7, pattern: 1 })).toBeUndefined();
  });

  it('reads names of inherited members, but rejects __proto__', () => {
    expect(pathOf({ properties: { constructor: { typ: 1 } } })).toBe('properties.constructor.typ');
    for (const name of ['properties', '$defs', 'patternProperties']) {
      const schema = JSON.parse(`{"${name}":{"__proto__":{}}}`) as Record<string, unknown>;
      expect(pathOf(schema)).toBe(`${name}.__proto__`);
    }
    expect(pathOf(JSON.parse('{"__proto__":{}}') as object)).toBe('__proto__');
  });

  it('detects draft-07', () => {
    expect([{ $schema: DRAFT_07 }, { $schema: DRAFT_2020 }, {}].map(isDraft07)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
