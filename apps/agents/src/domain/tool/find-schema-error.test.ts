import { describe, expect, it } from '@jest/globals';
import { findSchemaError, isDraft07 } from './find-schema-error.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const pathOf = (schema: object): string | undefined =>
  findSchemaError(schema as Record<string, unknown>)?.path;

describe('what is wrong with a schema', () => {
  it.each<[string, object]>([
    ['nothing at all', {}],
    ['properties that are named like keywords', { properties: { $id: {}, $ref: {}, typ: {} } }],
    ['values that look like schemas', { const: { typ: 1 }, enum: [{ $ref: 'a' }], default: {} }],
    ['examples that look like schemas', { examples: [{ $id: 1 }], $comment: 'x' }],
    ['booleans for schemas', { properties: { a: true }, items: false, allOf: [true] }],
    ['references to places in it', { $defs: { 'a/b~c%': {} }, $ref: '#/$defs/a~1b~0c%25' }],
    ['references to itself', { properties: { a: { $ref: '#' } } }],
    ['references to booleans', { $defs: { a: true }, $ref: '#/$defs/a' }],
    ['a draft', { $schema: DRAFT_2020, prefixItems: [{}], dependentSchemas: { a: {} } }],
    ['draft-07', { $schema: DRAFT_07, items: [{}], dependencies: { a: ['b'], b: {} } }],
  ])('is found in none with %s', (_name, schema) => {
    expect(findSchemaError(schema as Record<string, unknown>)).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['a misspelt keyword', { requird: [] }, 'requird'],
    ['one deep inside', { properties: { a: { items: { typ: 1 } } } }, 'properties.a.items.typ'],
    ['one in a list', { anyOf: [{}, { typ: 1 }] }, 'anyOf[1].typ'],
    ['one in a definition', { $defs: { a: { typ: 1 } } }, '$defs.a.typ'],
    ['a keyword of draft-07', { dependencies: {} }, 'dependencies'],
    ['one of 2020-12', { $schema: DRAFT_07, prefixItems: [] }, 'prefixItems'],
    ['a draft that is not known', { $schema: 'http://json-schema.org/schema#' }, '$schema'],
    ['a draft that is no text', { $schema: 7 }, '$schema'],
    ['a draft inside', { properties: { a: { $schema: DRAFT_2020 } } }, 'properties.a.$schema'],
    ['an id', { $id: 'https://a.example/' }, '$id'],
    ['an anchor inside', { properties: { a: { $anchor: 'a' } } }, 'properties.a.$anchor'],
    ['a dynamic reference', { $dynamicRef: '#a' }, '$dynamicRef'],
    ['a remote reference', { $ref: 'https://a.example/' }, '$ref'],
    ['a relative reference', { $ref: 'a.json' }, '$ref'],
    ['a reference to an anchor', { $ref: '#a' }, '$ref'],
    ['a reference to nothing', { $ref: '#/$defs/a' }, '$ref'],
    ['a reference to a list', { $ref: '#/required', required: [] }, '$ref'],
    ['a reference to what all objects have', { $ref: '#/constructor' }, '$ref'],
    ['a reference that encodes nothing', { $ref: '#/%' }, '$ref'],
    ['a pattern', { properties: { a: { pattern: '[' } } }, 'properties.a.pattern'],
    ['a pattern for names', { patternProperties: { '(': {} } }, 'patternProperties.('],
    ['then without if', { then: {} }, 'then'],
    ['nullable without a type', { nullable: true }, 'nullable'],
    ['minContains alone', { minContains: 1 }, 'minContains'],
    ['an empty enum', { enum: [] }, 'enum'],
  ])('is found at its place: %s', (_name, schema, path) => {
    expect(pathOf(schema)).toBe(path);
  });

  it('leaves members of a wrong kind to the compiler', () => {
    expect(pathOf({ properties: 5, items: 'a', allOf: {}, $ref: 7, pattern: 1 })).toBeUndefined();
  });

  it('reads members that prototypes have like any other, but for the one that nobody checks', () => {
    expect(pathOf({ properties: { constructor: { typ: 1 } } })).toBe('properties.constructor.typ');
    for (const name of ['properties', '$defs', 'patternProperties']) {
      const schema = JSON.parse(`{"${name}":{"__proto__":{}}}`) as Record<string, unknown>;
      expect(pathOf(schema)).toBe(`${name}.__proto__`);
    }
    expect(pathOf(JSON.parse('{"__proto__":{}}') as object)).toBe('__proto__');
  });

  it('knows which draft it is', () => {
    expect([{ $schema: DRAFT_07 }, { $schema: DRAFT_2020 }, {}].map(isDraft07)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
