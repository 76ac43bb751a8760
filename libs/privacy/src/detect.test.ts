import { describe, expect, it } from '@jest/globals';
import { joinDetectors } from './detect.ts';
import type { DetectOptions } from './detect.ts';
import type { Category, Span } from './span.ts';

function finderOf(words: Readonly<Record<string, Category>>) {
  return (text: string): Span[] =>
    Object.entries(words).flatMap(([word, category]) =>
      [...text.matchAll(new RegExp(word, 'g'))].map(({ index, 0: { length } }) => ({
        start: index,
        end: index + length,
        category,
      })),
    );
}

const parts = {
  findStructured: finderOf({ 'ann@x.io': 'EMAIL', '555 0100': 'PHONE' }),
  findNames: (text: string) =>
    finderOf({ 'Ann Lee': 'PERSON', '1 Elm St, 555 0100': 'ADDRESS', Acme: 'ORG' })(text).toSorted(
      (a, b) => a.start - b.start,
    ),
};

function found(text: string, options?: DetectOptions): string[] {
  const spans = joinDetectors(parts, options)(text);
  return spans.map(({ start, end, category }) => `${category} ${text.slice(start, end)}`);
}

describe('joinDetectors', () => {
  it('returns the rest of an address around a phone number', () => {
    expect(found('at 1 Elm St, 555 0100.')).toEqual(['ADDRESS 1 Elm St', 'PHONE 555 0100']);
  });

  it('finds only the selected categories', () => {
    expect(found('Ann Lee ann@x.io', { categories: ['PERSON'] })).toEqual(['PERSON Ann Lee']);
    expect(found('Ann Lee ann@x.io', { categories: ['EMAIL'] })).toEqual(['EMAIL ann@x.io']);
    expect(found('Ann Lee ann@x.io', { categories: [] })).toEqual([]);
  });

  it('finds the terms of a workspace in any category', () => {
    const terms = [{ text: 'Falcon', category: 'ORG' as const }];
    expect(found('Ann Lee: falcon', { categories: [], terms })).toEqual(['ORG falcon']);
  });

  it('prefers the terms of a workspace, as whole words in any case', () => {
    const terms = [{ text: 'Lee Falcon', category: 'SECRET' as const }];
    expect(found('Ann LEE FALCON, Ann Lee Falcon, Lee Falconry', { terms })).toEqual([
      'SECRET LEE FALCON',
      'PERSON Ann',
      'SECRET Lee Falcon',
    ]);
  });

  it('finds the patterns of a workspace', () => {
    const patterns = [{ pattern: '\\bPT-\\d{4,6}\\b', category: 'NATIONAL_ID' as const }];
    expect(found('PT-12, PT-1234, APT-1234, PT-1234567', { patterns })).toEqual([
      'NATIONAL_ID PT-1234',
    ]);
  });
});
