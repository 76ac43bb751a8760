import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { reasonOf } from '../test/reason-of.ts';
import { commit, commitmentText } from './commitment.ts';

/** Returns the commitment text by the rule in the README, independently of the code under test. */
function reference(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = value as Record<string, unknown>;
  const keys = Object.keys(members).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${reference(members[key])}`).join(',')}}`;
}

const key = fc.oneof(
  fc.constantFrom('0', '1', '9', '10', '01', '4294967294', '4294967295', '__proto__', 'toJSON'),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const { value: jsonLike } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1e21, 1e-7, 123456789012345680000, ''),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(key, tie('value')), { maxLength: 5, selector: ([name]) => name })
      .map((members) => members.map(([name, member]) => [name, JSON.stringify(member)] as const))
      .map((members) => members.map(([name, text]) => `${JSON.stringify(name)}:${text}`))
      .map((members) => JSON.parse(`{${members.join(',')}}`) as unknown),
  ),
}));

describe('commitmentText', () => {
  it.each([
    ['a lone surrogate, escaped', '["\\uD800x"]', String.raw`["\ud800x"]`],
    ['a huge integer, as a double', '[12345678901234567890]', '[12345678901234567000]'],
    ['a number beyond doubles, as null', '[1e999]', '[null]'],
    ['negative zero', '[-0]', '[0]'],
    ['a repeated member, as JSON.parse reads it', '{"a":1,"a":2}', '{"a":2}'],
    ['whole-number keys by code unit', '{"9":1,"10":2}', '{"10":2,"9":1}'],
    ['nested whole-number keys', '[{"b":{"9":1,"10":2},"a":0}]', '[{"a":0,"b":{"10":2,"9":1}}]'],
    ['a member named __proto__', '{"a":1,"__proto__":2}', '{"__proto__":2,"a":1}'],
    ['a __proto__ with keys out of order', '{"__proto__":{"b":1,"a":2}}', undefined],
    ['a member named toJSON', '{"toJSON":"x","a":1}', '{"a":1,"toJSON":"x"}'],
    ['a scalar', '"x"', '"x"'],
  ])('writes %s', (_name, json, text) => {
    const value: unknown = JSON.parse(json);
    expect(commitmentText(value)).toBe(text ?? '{"__proto__":{"a":2,"b":1}}');
  });

  it('does not change the value', () => {
    const value: unknown = JSON.parse('{"b":[{"d":1,"c":2}],"a":3}');
    commitmentText(value);
    expect(JSON.stringify(value)).toBe('{"b":[{"d":1,"c":2}],"a":3}');
  });

  it('follows the rule of the README for every JSON value', () => {
    fc.assert(
      fc.property(jsonLike, (value) => {
        expect(commitmentText(value)).toBe(reference(value));
      }),
      { numRuns: 1000 },
    );
  });

  it('equals another implementation for every value that it accepts', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(commitmentText(value)).toBe(canonicalize(value));
      }),
    );
  });

  it('accepts values nested up to the limit, which maxDepth can lower', () => {
    const value = (depth: number): unknown =>
      JSON.parse(`${'[{"b":1,"a":'.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`) as unknown;
    expect(commitmentText(value(1000))).toContain('"a":[');
    expect(reasonOf(() => commitmentText(value(1002)))).toBe('too_deep');
    expect(reasonOf(() => commitmentText(value(4), { maxDepth: 3 }))).toBe('too_deep');
    expect(reasonOf(() => commitmentText(value(100_000), { maxDepth: 1e9 }))).toBe('too_deep');
  });
});

describe('commit', () => {
  it('is the SHA-256 of the text', () => {
    const value = { b: 'ë', a: [1, null] };
    const hash = createHash('sha256').update(commitmentText(value)).digest('hex');
    expect(commit(value)).toBe(hash);
  });
});
