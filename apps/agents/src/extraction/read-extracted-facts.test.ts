import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_CONFIDENCE, readExtractedFacts } from './read-extracted-facts.ts';

const read = (items: unknown, categories?: readonly string[]) =>
  readExtractedFacts(JSON.stringify({ facts: items }), { categories, isCut: false });
const fact = (more: object) => ({ category: 'goal', key: 'k', value: 'v', confidence: 1, ...more });

describe('readExtractedFacts', () => {
  it('matches categories in any case and uses the requested spelling', () => {
    const items = [fact({ category: ' GOAL ' }), fact({ category: 'mood' }), fact({ key: 'l' })];
    expect(read(items, ['Goal'])).toEqual({
      facts: [fact({ category: 'Goal' }), fact({ category: 'Goal', key: 'l' })],
    });
  });

  it('accepts any category if no list is given, and none if the list is empty', () => {
    expect(read([fact({ category: 'Mood' })])).toMatchObject({ facts: [{ category: 'Mood' }] });
    expect(read([fact({})], [])).toEqual({ facts: [] });
  });

  it.each<[string, unknown, number]>([
    ['absent', undefined, DEFAULT_CONFIDENCE],
    ['a word', 'high', DEFAULT_CONFIDENCE],
    ['empty', '', DEFAULT_CONFIDENCE],
    ['null', null, DEFAULT_CONFIDENCE],
    ['true', true, DEFAULT_CONFIDENCE],
    ['a list', [0.9], DEFAULT_CONFIDENCE],
    ['too large for a number', '1e999', 1],
    ['a number in quotes', '0.7', 0.7],
    ['above 1', 95, 1],
    ['below 0', -1, 0],
  ])('normalizes a confidence that is %s', (_name, confidence, expected) => {
    expect(read([fact({ confidence })])).toMatchObject({ facts: [{ confidence: expected }] });
  });

  it.each<[string, unknown, string]>([
    ['a number', 42, '42'],
    ['a boolean', false, 'false'],
    ['a list', ['a', 1], '["a",1]'],
    ['a text with surrounding spaces', ' a b ', 'a b'],
    ['a text with NUL and a lone surrogate', 'a\0b\ud800', 'ab\ufffd'],
  ])('converts a value to text: %s', (_name, value, text) => {
    expect(read([fact({ value })])).toMatchObject({ facts: [{ value: text }] });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'goal: v'],
    ['without key', fact({ key: undefined })],
    ['with a blank key', fact({ key: ' ' })],
    ['with a key that is an object', fact({ key: { a: 1 } })],
    ['with a key that is a list', fact({ key: ['k'] })],
    ['with a category that is true', fact({ category: true })],
    ['a list', [fact({})]],
    ['with a value of null', fact({ value: null })],
    ['without category', fact({ category: undefined })],
    ['with a key beyond its limit', fact({ key: 'k'.repeat(201) })],
    ['with a value beyond its limit', fact({ value: 'v'.repeat(4_001) })],
  ])('drops an item that is %s', (_name, item) => {
    expect(read([item, fact({})])).toEqual({ facts: [fact({})] });
  });

  it('accepts names that are also names of inherited members', () => {
    const names = ['__proto__', 'constructor', 'toString', 'length'];
    const items = names.map((name) => fact({ category: name, key: name }));
    expect(read(items, ['goal'])).toEqual({ facts: [] });
    const requestedFacts = read(items, names) as { facts: { key: string }[] };
    expect(requestedFacts.facts.map(({ key }) => key)).toEqual(names);
  });

  it('returns the last fact of a category and key', () => {
    const items = [fact({ value: 'Paris' }), fact({ category: 'GOAL', key: ' k', value: 'Rome' })];
    expect(read(items, ['goal'])).toEqual({ facts: [fact({ value: 'Rome' })] });
  });

  it('limits the number of facts', () => {
    const items = Array.from({ length: 250 }, (_, index) => fact({ key: `k${index}` }));
    const { facts } = read(items) as { facts: unknown[] };
    expect(facts).toHaveLength(200);
  });

  it.each([
    ['prose', 'There are none.', false, 'no-object'],
    ['another shape', '{"goal":"v"}', false, 'missing-fields'],
    ['a cut-off answer', '{"facts":[{"category":"goal","key":"k","value":"v"}', true, 'cut-off'],
  ])('returns an error for %s', (_name, text, isCut, kind) => {
    expect(readExtractedFacts(text, { categories: undefined, isCut })).toMatchObject({
      error: { kind },
    });
  });

  it('returns only facts of requested categories, for any input', () => {
    const categories = ['Goal', 'company'];
    const words = fc.constantFrom('goal', 'GOAL ', 'Company', 'mood', '', '__proto__');
    const anyValue = fc.oneof(words, fc.jsonValue({ maxDepth: 1 }));
    const items = fc.array(
      fc.oneof(
        fc.jsonValue({ maxDepth: 1 }),
        fc.record({ category: words, key: anyValue, value: anyValue, confidence: anyValue }),
      ),
    );
    fc.assert(
      fc.property(items, (list) => {
        const { facts } = read(list, categories) as {
          facts: { category: string; key: string; confidence: number }[];
        };
        for (const { category, key, confidence } of facts) {
          expect(categories).toContain(category);
          expect(key).toBe(key.trim());
          expect(confidence >= 0 && confidence <= 1).toBe(true);
        }
        expect(facts.length).toBeLessThanOrEqual(list.length);
      }),
      { numRuns: 150 },
    );
  });
});
