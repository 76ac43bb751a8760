import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Writer } from './create-writer.ts';
import { fillSchema } from './fill-schema.ts';

const writerWith = (lean: number): Writer => ({
  chance: (text) => (text.length % 7) / 7,
  lean: () => lean,
  write: (field, index) => `${field} ${index} – naïve 🙂`,
  subjectOf: () => undefined,
});
const fill = (schema: object, lean = 0.4): unknown =>
  fillSchema(schema as Record<string, unknown>, writerWith(lean));

const isInstance = (schema: object, value: unknown): boolean =>
  new Ajv2020({ strict: false, validateFormats: false }).validate(schema, value);

const NODE = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] },
  },
  required: ['name', 'next'],
  additionalProperties: false,
};

const FILLABLE: [string, object][] = [
  ['any value', {}],
  ['a tuple', { prefixItems: [{ const: 'a' }, { type: 'integer' }], minItems: 2, type: 'array' }],
  ['bounds', { type: 'number', exclusiveMinimum: 3, maximum: 3.5 }],
  ['tight bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e-9 }],
  ['equal bounds', { type: 'number', minimum: 12.345678, maximum: 12.345678 }],
  ['one bound', { type: 'number', exclusiveMinimum: 0.3 }],
  ['steps', { type: 'integer', minimum: 10, multipleOf: 7 }],
  ['decimal steps', { type: 'number', minimum: 0.25, multipleOf: 0.1 }],
  ['lengths', { type: 'string', minLength: 90, maxLength: 95 }],
  ['a pattern with a length', { type: 'string', pattern: '^[a-z]+-\\d+$', minLength: 12 }],
  ['unique items', { type: 'array', items: { enum: [1, 2, 3] }, minItems: 3, uniqueItems: true }],
  ['a long list', { type: 'array', items: { type: 'string' }, minItems: 9, maxItems: 9 }],
  [
    'allOf',
    {
      type: 'object',
      allOf: [
        { properties: { a: { type: 'integer', maximum: 2 } } },
        { required: ['a'], properties: { b: { type: 'boolean' } } },
      ],
    },
  ],
  ['the satisfiable branch', { anyOf: [false, { type: 'integer', minimum: 2, maximum: 1 }, {}] }],
  ['exactly one branch', { oneOf: [{ type: 'integer', minimum: 5 }, { type: 'number' }] }],
  ['both unions', { type: 'object', anyOf: [{ required: ['a'] }], oneOf: [{ required: ['b'] }] }],
  [
    'a branch beside properties',
    {
      type: 'object',
      properties: { kind: { type: 'string' } },
      required: ['kind'],
      oneOf: [{ properties: { kind: { const: 'x' } } }, { properties: { kind: { const: 'y' } } }],
    },
  ],
  [
    'references with escaped names',
    {
      $defs: { 'a/b': { type: 'integer' }, 'c~1d': { type: 'boolean' } },
      type: 'object',
      properties: { a: { $ref: '#/$defs/a~1b' }, c: { $ref: '#/$defs/c~01d' } },
      required: ['a', 'c'],
    },
  ],
  ['recursion that ends', { $defs: { n: NODE }, $ref: '#/$defs/n' }],
  [
    'optional recursion',
    { type: 'object', properties: { next: { $ref: '#' }, v: { type: 'integer' } } },
  ],
  [
    'a property called __proto__',
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    ) as object,
  ],
  ['required properties that are not declared', { type: 'object', required: ['x', 'y'] }],
];

describe('fillSchema', () => {
  it.each(FILLABLE)('fills %s', (_name, schema) => {
    for (const lean of [-1, -0.3, 0, 0.7, 1]) {
      const value = fill(schema, lean);
      expect(value).toBeDefined();
      expect([schema, value, isInstance(schema, value)]).toEqual([schema, value, true]);
    }
  });

  it.each<[string, object]>([
    ['an empty range', { type: 'integer', minimum: 2, maximum: 1 }],
    ['a dangling reference', { $ref: '#/$defs/none' }],
    [
      'an infinite object',
      {
        $defs: {
          n: { type: 'object', required: ['n'], properties: { n: { $ref: '#/$defs/n' } } },
        },
        $ref: '#/$defs/n',
      },
    ],
    ['an empty enumeration', { enum: [] }],
    ['a billion items', { type: 'array', items: { type: 'string' }, minItems: 1e9 }],
    ['a gigabyte of text', { type: 'string', minLength: 1e9 }],
    ['a contradiction', { type: 'string', not: {} }],
    ['an invalid schema', { type: 'text' }],
  ])('returns undefined for %s', (_name, schema) => {
    expect(fill(schema)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['two types', { type: ['integer', 'null'] }],
    ['anyOf', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['oneOf', { oneOf: [{ type: 'null' }, { type: 'boolean' }] }],
    ['an enumeration', { enum: ['north', 'south', null] }],
  ])('invents no value where %s allow null', (_name, months) => {
    const schema = { type: 'object', properties: { months }, required: ['months'] };
    expect(fill(schema)).toEqual({ months: null });
  });

  it('invents no items where a list may be empty', () => {
    expect(fill({ type: 'array', items: { type: 'string' }, maxItems: 5 })).toEqual([]);
  });

  it('chooses numbers by the leaning, or the default if there is one', () => {
    const stance = { type: 'number', minimum: -1, maximum: 1, multipleOf: 0.5 };
    const lever = { type: 'number', minimum: 0, maximum: 40, default: 10 };
    const schema = { type: 'object', properties: { stance, lever }, required: ['stance', 'lever'] };
    expect([-1, -0.4, 0, 1].map((lean) => fill(schema, lean))).toEqual([
      { stance: -1, lever: 10 },
      { stance: -0.5, lever: 10 },
      { stance: 0, lever: 10 },
      { stance: 1, lever: 10 },
    ]);
  });

  it('ends quickly for a schema that doubles forty times', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const inner = { $ref: `#/$defs/d${index + 1}` };
        return [
          `d${index}`,
          { type: 'object', properties: { a: inner, b: inner }, required: ['a', 'b'] },
        ];
      }),
    );
    const before = process.threadCpuUsage();
    expect(fill({ $defs: { ...defs, d40: { type: 'null' } }, $ref: '#/$defs/d0' })).toBeUndefined();
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it('fills every schema of the common kinds, and what it returns is always valid', () => {
    fc.assert(
      fc.property(SCHEMA, fc.double({ min: -1, max: 1, noNaN: true }), (schema, lean) => {
        const value = fill(schema, lean);
        expect([value !== undefined, isInstance(schema, value)]).toEqual([true, true]);
      }),
      { numRuns: 200 },
    );
  });
});

/** Generates schemas with keywords that are common in structured output of models. */
const { schema: SCHEMA } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc
      .tuple(fc.nat(40), fc.nat(40))
      .map(([least, more]) => ({ type: 'string', minLength: least, maxLength: least + more })),
    fc
      .tuple(fc.integer({ min: -50, max: 50 }), fc.nat(50))
      .map(([least, more]) => ({ type: 'integer', minimum: least, maximum: least + more })),
    fc
      .tuple(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
      )
      .map(([least, more]) => ({ type: 'number', minimum: least, maximum: least + more })),
    fc.constantFrom(
      { type: 'string', pattern: '^[A-Z]{2}\\d+$' },
      { type: 'string', format: 'date' },
      { type: 'number', minimum: 0, maximum: 10, multipleOf: 0.1 },
      { enum: [3, 'high', null, { a: 1 }] },
      { type: ['boolean', 'null', 'number'] },
      { const: ['x'] },
    ),
    fc
      .record({ items: tie('schema'), minItems: fc.nat(3) })
      .map(({ minItems, items }) => ({ type: 'array', items, minItems, maxItems: minItems + 2 })),
    tie('schema').map((inner) => ({ anyOf: [inner, { type: 'number', minimum: 1, maximum: 0 }] })),
    tie('schema').map((inner) => ({ allOf: [{ description: 'A part.' }, inner] })),
    fc.tuple(tie('schema'), tie('schema'), fc.subarray(['a', 'b'])).map(([a, b, required]) => ({
      type: 'object',
      properties: { a, b },
      required,
      additionalProperties: false,
    })),
  ),
}));
