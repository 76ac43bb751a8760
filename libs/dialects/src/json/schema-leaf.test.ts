import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryPath, markOf, classifyLeaves } from '../../test/string-leaves.ts';
import { toSchemaLeaf } from './schema-leaf.ts';

const MARKS: Readonly<Record<string, unknown>> = { T: 'text', D: 'data', F: 'fixed' };

/**
 * Schemas. The prefix of a string is the expected kind: `T:` text, `D:` data; strings without a
 * prefix must be `fixed`.
 */
const SCHEMAS: readonly (readonly [string, object])[] = [
  [
    'descriptions of a value',
    {
      title: 'T:',
      description: 'T:',
      $comment: 'T:',
      default: 'D:',
      examples: ['D:', { a: 'D:' }],
    },
  ],
  [
    'values that take part in validation',
    { enum: ['a', { b: 'c' }], const: { d: 'e' }, pattern: '^a' },
  ],
  [
    'types',
    { type: ['string', 'null'], format: 'email', contentMediaType: 'a/b', contentEncoding: 'c' },
  ],
  [
    'names of properties',
    {
      required: ['a'],
      dependentRequired: { a: ['b'] },
      dependencies: { a: ['b'], c: { description: 'T:', type: 'object' } },
      propertyOrdering: ['a'],
      discriminator: { propertyName: 'a', mapping: { b: 'c' } },
    },
  ],
  [
    'addresses',
    {
      $ref: '#/$defs/a',
      $id: 'a',
      id: 'b',
      $schema: 'c',
      $anchor: 'd',
      $dynamicRef: 'e',
      $dynamicAnchor: 'f',
      $recursiveRef: 'g',
    },
  ],
  [
    'properties that are named like keywords',
    {
      properties: {
        type: { type: 'string', description: 'T:' },
        enum: { description: 'T:' },
        properties: { properties: { const: { title: 'T:', const: 'a' } } },
        default: { default: { type: 'D:' } },
      },
    },
  ],
  [
    'nested schemas',
    {
      $defs: { description: { description: 'T:', enum: ['a'] } },
      definitions: { a: { items: [{ title: 'T:', type: 'x' }] } },
      patternProperties: { '^type$': { type: 'x', description: 'T:' } },
      dependentSchemas: { a: { type: 'x', description: 'T:' } },
      prefixItems: [{ type: 'x' }],
      additionalItems: { type: 'x' },
      contains: { type: 'x' },
      oneOf: [{ type: 'x' }],
      allOf: [{ type: 'x' }],
      else: { type: 'x' },
      unevaluatedItems: { type: 'x' },
      unevaluatedProperties: { type: 'x' },
      items: { anyOf: [{ type: 'x', description: 'T:' }, { not: { const: 'a' } }] },
      additionalProperties: { if: { const: 'a' }, then: { description: 'T:', format: 'b' } },
      propertyNames: { pattern: 'a', description: 'T:' },
      contentSchema: { type: 'x', title: 'T:' },
    },
  ],
  ['unknown keywords', { novelty: 'T:', 'x-owner': { type: 'T:', id: 'T:' } }],
  [
    'values that are not schemas',
    { properties: 'T:', items: 'T:', anyOf: ['T:'], $defs: { a: ['T:'] } },
  ],
];

describe('toSchemaLeaf', () => {
  it.each(SCHEMAS)('classifies %s', (_name, schema) => {
    const body = { tools: [{ schema }] };
    expect(classifyLeaves(body, ({ path }) => toSchemaLeaf(path, 3))).toEqual(
      classifyLeaves(body, (leaf) => MARKS[markOf(leaf)]),
    );
  });

  it('accepts any path', () => {
    const keys = ['properties', 'items', 'enum', 'description', 'dependencies', '$defs'];
    fc.assert(
      fc.property(arbitraryPath(keys), fc.nat(10), (path, from) => {
        expect(Object.values(MARKS)).toContain(toSchemaLeaf(path, from));
      }),
    );
  });
});
