import { describe, expect, it } from '@jest/globals';
import { renderPerformance } from '../performance-table.ts';
import { treeOf } from '../tree.ts';
import { performanceTable } from './performance-table.ts';

const PAGE = 'docs/performance.md';
const EMPTY_PAGE =
  '<!-- measurements: written by `npm run performance-table` -->\n<!-- end of measurements -->\n';
const makeResult = (date: string, measured: number) =>
  JSON.stringify({
    benchmark: 'ledger',
    date,
    aims: [{ name: 'p50', unit: 'ms', aim: '<= 2', measured, met: measured <= 2 }],
  });
const RESULTS = {
  'benchmarks/results/ledger-2026-01-01.json': makeResult('2026-01-01T10:00:00Z', 5.55555),
  'benchmarks/results/ledger-2026-01-02.json': makeResult('2026-01-02T10:00:00Z', 1.23456),
};

describe('performanceTable', () => {
  it('accepts a page with the newest result of each benchmark', () => {
    const page = renderPerformance(treeOf(RESULTS), EMPTY_PAGE);
    expect(page).toContain('| ledger | p50 | ms | <= 2 | 1.23 | yes | 2026-01-02 |');
    expect(page).not.toContain('2026-01-01');
    expect(performanceTable(treeOf({ ...RESULTS, [PAGE]: page }))).toEqual([]);
  });

  it('refuses a page with other figures, and one without a table', () => {
    const page = renderPerformance(treeOf(RESULTS), EMPTY_PAGE);
    for (const figure of ['1.22', '-1.23']) {
      const stalePage = page.replace('1.23', figure);
      expect(performanceTable(treeOf({ ...RESULTS, [PAGE]: stalePage }))).toHaveLength(1);
    }
    expect(() => performanceTable(treeOf({ ...RESULTS, [PAGE]: '# Speed\n' }))).toThrow(PAGE);
  });
});
