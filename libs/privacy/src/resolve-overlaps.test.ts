import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { resolveOverlaps } from './detect.ts';
import { CATEGORIES } from './span.ts';
import type { Span } from './span.ts';

const text = 'Ann Lee, 12 Elm St. (555-0100) at Acme, ann@x.io — \u{1f600}\u{10400} ...';

const span = fc
  .tuple(fc.nat(text.length - 1), fc.integer({ min: 1, max: 20 }), fc.constantFrom(...CATEGORIES))
  .map(([start, length, category]): Span => {
    const end = Math.min(text.length, start + length);
    return { start, end, category };
  });
const spans = fc.array(span, { maxLength: 12 });

function covered(some: readonly Span[]): boolean[] {
  const units = Array.from({ length: text.length }, () => false);
  for (const { start, end } of some) units.fill(true, start, end);
  return units;
}

describe('resolveOverlaps', () => {
  it('returns ascending spans without overlaps that leak no letter', () => {
    fc.assert(
      fc.property(spans, spans, (first, rest) => {
        const resolved = resolveOverlaps(text, { first, rest });
        for (const [index, { start, end }] of resolved.entries()) {
          expect(start).toBeGreaterThanOrEqual(resolved[index - 1]?.end ?? 0);
          expect(end).toBeGreaterThan(start);
        }
        const before = covered([...first, ...rest]);
        const after = covered(resolved);
        const leaked = [...before.keys()].filter(
          (offset) => before[offset] && !after[offset] && /[\p{L}\p{N}]/u.test(text.charAt(offset)),
        );
        expect(leaked).toEqual([]);
        expect(after.some((isCovered, index) => isCovered && !before[index])).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, Span[], Span[]]>([
    [
      'an e-mail address to the person in it',
      [
        { start: 40, end: 43, category: 'PERSON' },
        { start: 40, end: 48, category: 'EMAIL' },
      ],
      [{ start: 40, end: 48, category: 'EMAIL' }],
    ],
    [
      'an address to an overlapping person, whose rest remains',
      [
        { start: 0, end: 11, category: 'PERSON' },
        { start: 9, end: 18, category: 'ADDRESS' },
      ],
      [
        { start: 0, end: 7, category: 'PERSON' },
        { start: 9, end: 18, category: 'ADDRESS' },
      ],
    ],
    [
      'an identity number to an address around it, whose ends remain',
      [
        { start: 9, end: 38, category: 'ADDRESS' },
        { start: 21, end: 29, category: 'NATIONAL_ID' },
      ],
      [
        { start: 9, end: 18, category: 'ADDRESS' },
        { start: 21, end: 29, category: 'NATIONAL_ID' },
        { start: 31, end: 38, category: 'ADDRESS' },
      ],
    ],
  ])('prefers %s', (_name, rest, expected) => {
    expect(resolveOverlaps(text, { first: [], rest })).toEqual(expected);
  });

  it('splits an e-mail address at a term of the workspace', () => {
    const first: Span[] = [{ start: 44, end: 48, category: 'ORG' }];
    const rest: Span[] = [{ start: 40, end: 48, category: 'EMAIL' }];
    expect(resolveOverlaps(text, { first, rest })).toEqual([
      { start: 40, end: 43, category: 'EMAIL' },
      ...first,
    ]);
  });
});
