import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fillSchema } from './fill-schema.ts';
import { createMaterialFinder } from './find-in-material.ts';
import { createQuestionFinder } from './find-in-question.ts';
import type { Sentence } from './gather-sentences.ts';

const sentence = (text: string): Sentence => ({ text, speaker: 'rest', isFresh: false });
const sentences = [
  sentence('Churn is 4 percent.'),
  sentence('Owner: Mara Lind, priority: high'),
  sentence('Cash is short; write to mara@example.org by 2031-05-31.'),
];
const finder = createMaterialFinder({ question: 'What is wrong?', answer: 'A lot.', sentences });

const fill = (schema: unknown): unknown => fillSchema(schema, { finder, optional: 'every' });

const isInstance = (schema: object, value: unknown): boolean =>
  new Ajv2020({ strict: false, validateFormats: false }).validate(schema, value);

const list = { type: 'object', properties: { next: { $ref: '#' }, v: { type: 'integer' } } };
const node = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] },
  },
  required: ['name', 'next'],
  additionalProperties: false,
};

describe('fillSchema', () => {
  it.each<[string, object]>([
    ['two types', { type: ['integer', 'null'] }],
    ['anyOf', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['oneOf', { oneOf: [{ type: 'null' }, { type: 'boolean' }] }],
    ['an enum', { enum: ['north', 'south', null] }],
  ])('returns null, without inventing a value, if %s allow it', (_name, months) => {
    const schema = { type: 'object', properties: { months }, required: ['months'] };
    expect(fill(schema)).toEqual({ months: null });
  });

  it('finds a stated value even if null is allowed', () => {
    const properties = { churn: { type: ['null', 'number'] }, owner: { type: ['string', 'null'] } };
    const schema = { type: 'object', properties, required: ['churn', 'owner'] };
    expect(fill(schema)).toEqual({ churn: 4, owner: 'Mara Lind' });
  });

  it.each<[string, object]>([
    ['any value', {}],
    ['each type', { type: 'array', prefixItems: [{ type: 'null' }, { type: 'boolean' }] }],
    ['bounds', { type: 'number', exclusiveMinimum: 3, maximum: 3.5 }],
    ['tight bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e-9 }],
    ['steps', { type: 'integer', minimum: 10, multipleOf: 7 }],
    ['decimal steps', { type: 'number', minimum: 0.25, multipleOf: 0.1 }],
    ['lengths', { type: 'string', minLength: 90, maxLength: 95 }],
    ['a pattern with a length', { type: 'string', pattern: '^[a-z]+-\\d+$', minLength: 12 }],
    [
      'a list of unique items',
      { type: 'array', items: { enum: [1, 2, 3] }, minItems: 3, uniqueItems: true },
    ],
    ['a long list', { type: 'array', items: { type: 'string' }, minItems: 9, maxItems: 9 }],
    ['tuples', { prefixItems: [{ const: 'a' }, { type: 'integer' }], items: false }],
    [
      'allOf',
      {
        allOf: [
          { properties: { a: { minimum: 2 } } },
          { required: ['a'] },
          { properties: { a: { type: 'integer', maximum: 2 } } },
        ],
      },
    ],
    [
      'the satisfiable branch',
      { anyOf: [false, { type: 'string', minLength: 5, maxLength: 1 }, { type: 'boolean' }] },
    ],
    ['exactly one branch', { oneOf: [{ type: 'integer', minimum: 5 }, { type: 'number' }] }],
    [
      'both combinations',
      { type: 'object', anyOf: [{ required: ['a'] }], oneOf: [{ required: ['b'] }] },
    ],
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
      'if, then',
      {
        type: 'object',
        properties: { a: { const: 1 } },
        required: ['a'],
        if: { properties: { a: { const: 1 } } },
        then: { required: ['b'], properties: { b: { type: 'integer' } } },
      },
    ],
    ['a list that ends', { $defs: { n: node }, $ref: '#/$defs/n' }],
    ['optional recursion', list],
    ['escaped pointers', { $defs: { 'a/b%': { const: 3 } }, $ref: '#/$defs/a~1b%25' }],
    [
      'several properties',
      {
        type: 'object',
        minProperties: 3,
        maxProperties: 3,
        additionalProperties: { type: 'integer' },
      },
    ],
    [
      'a property called __proto__',
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
      ) as object,
    ],
    ['nullable types', { type: ['null', 'string'] }],
    ['required properties that are not declared', { type: 'object', required: ['x', 'y'] }],
  ])('fills %s', (_name, schema) => {
    const value = fill(schema);
    expect(value).toBeDefined();
    expect(isInstance(schema, value)).toBe(true);
  });

  it.each<[string, object | boolean]>([
    ['false', false],
    ['an empty range', { type: 'integer', minimum: 2, maximum: 1 }],
    ['a dangling reference', { $ref: '#/$defs/none' }],
    [
      'an infinite list',
      {
        $defs: { n: { required: ['n'], properties: { n: { $ref: '#/$defs/n' } } } },
        $ref: '#/$defs/n',
      },
    ],
    ['an empty enumeration', { enum: [] }],
    ['a billion items', { type: 'array', items: { type: 'string' }, minItems: 1e9 }],
    ['a gigabyte of text', { type: 'string', minLength: 1e9 }],
    ['a contradiction', { type: 'string', not: {} }],
  ])('returns undefined for %s', (_name, schema) => {
    expect(fill(schema)).toBeUndefined();
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

  it('takes values from the conversation if it states them', () => {
    const properties = {
      summary: { type: 'string' },
      owner: { type: 'string' },
      churn: { type: 'number' },
      priority: { enum: ['low', 'high'] },
      cashIsShort: { type: 'boolean' },
      contact: { type: 'string', format: 'email' },
      due: { type: 'string', format: 'date' },
    };
    expect(fill({ type: 'object', properties })).toEqual({
      summary: 'A lot.',
      owner: 'Mara Lind',
      churn: 4,
      priority: 'high',
      cashIsShort: true,
      contact: 'mara@example.org',
      due: '2031-05-31',
    });
  });

  it('omits optional arguments unless the question names them', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer' },
        place: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
      },
      required: ['city'],
    };
    const ask = (question: string): unknown =>
      fillSchema(schema, { finder: createQuestionFinder(question), optional: 'evidenced' });
    expect(ask('How is the weather in New York?')).toEqual({ city: 'New York' });
    expect(ask('weather in rome for 3 days, in celsius')).toMatchObject({
      unit: 'celsius',
      days: 3,
    });
  });

  it('fills 300 random schemas that have an instance', () => {
    const random = createRandom(7);
    for (let round = 0; round < 300; round += 1) {
      const schema = randomSchema(random, 3);
      const value = fill(schema);
      expect({ schema, isFilled: value !== undefined }).toEqual({ schema, isFilled: true });
      expect({ schema, value, isValid: isInstance(schema, value) }).toMatchObject({
        isValid: true,
      });
    }
  });
});

type Random = (below: number) => number;

/**
 * Creates a linear congruential generator (Numerical Recipes), so that every run has the same
 * schemas.
 */
function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomSchema(random: Random, depth: number): object {
  const inner = (): object => randomSchema(random, depth - 1);
  switch (random(depth > 0 ? 9 : 5)) {
    case 0:
      return { type: 'string', minLength: random(40), maxLength: 40 + random(40) };
    case 1:
      return { type: 'integer', minimum: random(50) - 25, maximum: 25 + random(50) };
    case 2:
      return { enum: [random(9), 'high', null, { a: random(3) }].slice(random(4)) };
    case 3:
      return { type: ['boolean', 'null', 'number'].slice(random(3)) };
    case 4:
      return { const: [random(9)] };
    case 5:
      return { type: 'array', items: inner(), minItems: random(3), maxItems: 3 + random(3) };
    case 6:
      return { anyOf: [{ type: 'number', minimum: 1, maximum: 0 }, inner(), inner()] };
    case 7:
      return { allOf: [{ description: 'A part.' }, inner()] };
    default: {
      const properties = { churn: inner(), owner: inner(), b: inner() };
      const required = Object.keys(properties).filter(() => random(2) === 0);
      return { type: 'object', properties, required, additionalProperties: false };
    }
  }
}
