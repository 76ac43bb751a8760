import { describe, expect, it } from '@jest/globals';
import {
  byPriority,
  formatAmount,
  formatPercent,
  formatShare,
  positionInRange,
} from './figures.ts';
import type { Analysis } from './market-query.ts';

const SIZE: Analysis['marketSize'] = {
  description: null,
  value: 120,
  unit: null,
  currency: 'EUR',
  year: null,
  region: null,
  cagrPct: null,
  low: 100,
  high: 150,
  method: 'unknown',
  confidence: 0.3,
};

describe('figures of a market', () => {
  it.each([
    [120_000_000, 'EUR', /^€120M$/],
    [120_000_000, 'Taler', /^120M Taler$/],
    [1_500, null, /^1\.5K$/],
    [7, 'eur', /^7 eur$/],
  ])('%d %s', (amount, currency, text) => {
    expect(formatAmount(amount, currency)).toMatch(text);
  });

  it('are percent', () => {
    expect([formatShare(0.425), formatPercent(4.55), formatPercent(-3)]).toEqual([
      '43 %',
      '4.6 %',
      '-3 %',
    ]);
  });

  it.each([
    ['between', {}, 0.4],
    ['at the end', { value: 150 }, 1],
    ['outside', { value: 90 }, 0],
    ['no value', { value: null }, undefined],
    ['no range', { low: null }, undefined],
    ['an empty range', { low: 150 }, undefined],
  ])('have a position in their range: %s', (_name, change, position) => {
    expect(positionInRange({ ...SIZE, ...change })).toBe(position);
  });

  it('sort recommendations by priority', () => {
    const recommendations = (['low', 'high', 'medium', 'high'] as const).map(
      (priority, index) => ({ priority, title: String(index) }) as Analysis['recommendations'][0],
    );
    expect(byPriority(recommendations).map(({ title }) => title)).toEqual(['1', '3', '2', '0']);
  });
});
