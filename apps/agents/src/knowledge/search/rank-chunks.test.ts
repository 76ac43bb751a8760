import { describe, expect, it } from '@jest/globals';
import { rankChunks } from './rank-chunks.ts';
import { chooseTerms, readQuery, toCounts } from './term.ts';

const QUERY = 'annual revenue target';

const rank = (texts: Readonly<Record<string, string>>, titles: Record<string, string> = {}) => {
  const bases = ['annua*', 'reven*', 'targe*'];
  const counts = toCounts(
    bases.map((base) => ({ base, sourceNo: 1, chunks: 10, thrice: 0, sixTimes: 0 })),
  );
  const candidates = Object.entries(texts).map(([id, text]) => ({
    id,
    text,
    title: titles[id] ?? '',
  }));
  const ranking = rankChunks(candidates, chooseTerms(readQuery(QUERY), counts, 1_000), 8);
  return [...ranking].sort(([, a], [, b]) => b - a);
};
const best = (...args: Parameters<typeof rank>): string => rank(...args)[0]![0];

describe('rankChunks', () => {
  it.each([
    ['more of the words', 'revenue target', 'revenue revenue revenue revenue'],
    ['the exact form of a word', 'the revenue', 'the revenues'],
    ['adjacent words', 'x annual revenue y z', 'annual x y z revenue'],
    ['the shorter text', 'revenue', `revenue ${'x '.repeat(60)}`],
  ])('prefers %s', (_name, better, worse) => {
    expect(best({ worse, better })).toBe('better');
  });

  it('counts words of the title', () => {
    const texts = { other: 'the target', named: 'the target' };
    expect(best(texts, { named: 'Annual revenue' })).toBe('named');
  });

  it('scores from 0 to 1', () => {
    const full = `${QUERY} `.repeat(50);
    for (const [, score] of rank({ none: 'nothing', full, empty: '' })) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });
});
