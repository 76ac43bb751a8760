import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { reasonOf } from '../test/reason-of.ts';
import { canonicalJson, commitmentText, MAX_JSON_DEPTH } from './commitment.ts';

const nested = (depth: number): unknown =>
  JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;

describe('canonicalJson', () => {
  it('orders keys by UTF-16 code unit, not by code point', () => {
    const value = { '\ufb33': 1, '\u{1f600}': 2, b: 3, a: 4, '10': 5, '9': 6, '': 7 };
    expect(canonicalJson(value)).toBe('{"":7,"10":5,"9":6,"a":4,"b":3,"\u{1f600}":2,"\ufb33":1}');
  });

  it('drops undefined members', () => {
    expect(canonicalJson({ b: undefined, a: { c: undefined } })).toBe('{"a":{}}');
  });

  it('preserves a member named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"a":1,"__proto__":{"b":2}}'))).toBe(
      '{"__proto__":{"b":2},"a":1}',
    );
  });

  it.each([
    ['zero', 0, '0'],
    ['negative zero', -0, '0'],
    ['the largest safe integer', 2 ** 53 - 1, '9007199254740991'],
    ['the smallest safe integer', 1 - 2 ** 53, '-9007199254740991'],
    ['a fraction', 0.1, '0.1'],
    ['a tiny number', 5e-324, '5e-324'],
    ['a control character', '\u000b', String.raw`"\u000b"`],
    ['characters beyond ASCII as they are', 'ë\u2028\u{1f600}', '"ë\u2028\u{1f600}"'],
    ['null', null, 'null'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ])('writes %s', (_name, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  const sparse: number[] = [1];
  sparse[2] = 3;
  it.each<[string, unknown]>([
    ['not a number', Number.NaN],
    ['infinity', -Infinity],
    ['an integer of 2^53', 2 ** 53],
    ['an integer of -2^53', -(2 ** 53)],
    ['a BigInt', 1n],
    ['a high surrogate alone', '\ud800'],
    ['a low surrogate alone', 'a\udc00'],
    ['a lone surrogate in a key', { '\ud800': 1 }],
    ['a sparse array', sparse],
    ['an array with a named property', Object.assign([1], { x: 2 })],
    ['undefined', undefined],
    ['undefined in an array', [undefined]],
    ['a function', () => 1],
    ['a function in an object', { toJSON: () => 1 }],
    ['a symbol', Symbol('x')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a boxed string', Object('x')],
    [
      'a class instance',
      new (class {
        x = 1;
      })(),
    ],
    ['bytes', new Uint8Array(1)],
  ])('refuses %s', (_name, value) => {
    expect(reasonOf(() => canonicalJson({ deep: [value] }))).toBe('not_canonical');
    expect(reasonOf(() => canonicalJson(value))).toBe('not_canonical');
  });

  it('refuses cycles and values nested deeper than the limit', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(canonicalJson(nested(MAX_JSON_DEPTH))).toHaveLength(2 * MAX_JSON_DEPTH);
    expect(reasonOf(() => canonicalJson(nested(MAX_JSON_DEPTH + 1)))).toBe('too_deep');
    expect(reasonOf(() => canonicalJson(cycle))).toBe('too_deep');
  });

  it('equals another implementation and the commitment text for every accepted value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (value) => {
        const text = accepted(value);
        if (text === undefined) return;
        expect(text).toBe(canonicalize(value));
        expect(text).toBe(commitmentText(value));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

function accepted(value: unknown): string | undefined {
  return reasonOf(() => canonicalJson(value)) === undefined ? canonicalJson(value) : undefined;
}
