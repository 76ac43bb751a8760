import { describe, expect, it } from '@jest/globals';
import type { Category, CategoryCounts } from '@witan/privacy';
import { isSensitive } from './mask-request.ts';

const counts = (values: Partial<Record<Category, number>>): CategoryCounts =>
  Object.fromEntries(
    Object.entries(values).map(([category, count]) => [
      category,
      { values: count, occurrences: count },
    ]),
  );

describe('isSensitive', () => {
  it.each<[string, Partial<Record<Category, number>>, number, boolean]>([
    ['nothing', {}, 100, false],
    ['an account number in a long text', { IBAN: 1 }, 1_000_000, true],
    ['an identity number', { NATIONAL_ID: 1 }, 10_000, true],
    ['a secret', { SECRET: 1 }, 10_000, true],
    ['a name', { PERSON: 1 }, 20, false],
    ['a sender', { PERSON: 1, EMAIL: 1 }, 60, false],
    ['many names and nothing else', { PERSON: 9 }, 400, false],
    ['a record of a person', { PERSON: 1, EMAIL: 1, PHONE: 1 }, 200, true],
    ['a record at its limit', { PERSON: 2, EMAIL: 1 }, 750, true],
    ['a record beyond the limit', { PERSON: 2, EMAIL: 1 }, 751, false],
    ['places and organisations', { LOCATION: 9, ORG: 9 }, 100, false],
  ])('judges %s', (_name, values, length, expected) => {
    expect(isSensitive(counts(values), length)).toBe(expected);
  });
});
