import { describe, expect, it } from '@jest/globals';
import type { UsageRow } from './usage-query.ts';
import { toSeries } from './usage-series.ts';

const row = (day: string, model: string, totalTokens: number, micros: number | null): UsageRow => ({
  day,
  model,
  calls: 1,
  promptTokens: totalTokens,
  completionTokens: 0,
  totalTokens,
  cost: micros === null ? null : { currency: 'USD', micros },
  unpricedCalls: micros === null ? 1 : 0,
});

const RANGE = { from: '2026-02-27', to: '2026-03-01' };
const OPTIONS = { range: RANGE, by: 'model', nameOf: ({ model }: UsageRow) => model! } as const;

const draw = (rows: readonly UsageRow[], measure: 'tokens' | 'cost') =>
  toSeries(rows, { ...OPTIONS, measure }).lines.map(({ label, values }) => [label, values]);

describe('the lines of usage by day', () => {
  it('cover every day of the range, the largest group first', () => {
    const rows = [row('2026-02-27', 'a', 5, null), row('2026-03-01', 'b', 7, null)];
    expect(draw(rows, 'tokens')).toEqual([
      ['b', [0, 0, 7]],
      ['a', [5, 0, 0]],
    ]);
  });

  it('have no cost on a day of calls without a price, and 0 on a day without calls', () => {
    const rows = [row('2026-02-27', 'a', 5, null), row('2026-02-28', 'a', 5, 2_500_000)];
    expect(draw(rows, 'cost')).toEqual([['a', [null, 2.5, 0]]]);
  });

  it('are five, and one for all other groups', () => {
    const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((model, index) =>
      row('2026-02-28', model, 100 - index, null),
    );
    expect(draw(rows, 'tokens').map(([label]) => label)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'Others',
    ]);
    expect(draw(rows, 'tokens').at(-1)).toEqual(['Others', [0, 95 + 94, 0]]);
  });

  it('are one line of all calls if they are grouped by day', () => {
    const { lines } = toSeries([row('2026-02-28', '', 3, null)], {
      ...OPTIONS,
      by: 'day',
      measure: 'tokens',
    });
    expect(lines.map(({ label, values }) => [label, values])).toEqual([['All calls', [0, 3, 0]]]);
  });
});
