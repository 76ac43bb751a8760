import { describe, expect, it } from '@jest/globals';
import { sumByProject, toCoverageTable } from './coverage.ts';

const fileOf = (lines: number, branches: number) => ({
  lines: { total: 10, covered: lines },
  branches: { total: 4, covered: branches },
});

describe('the coverage table', () => {
  it('sums the files of a project, not their percentages', () => {
    const projects = sumByProject({
      'libs/b/src/x.ts': { lines: { total: 90, covered: 90 }, branches: { total: 0, covered: 0 } },
      'libs/b/src/deep/y.ts': fileOf(5, 3),
      'apps/a/src/z.ts': fileOf(10, 2),
    });
    expect(toCoverageTable(projects).split('\n').slice(2)).toEqual([
      '| apps/a | 1 | 100.0 % | 50.0 % |',
      '| libs/b | 2 | 95.0 % | 75.0 % |',
    ]);
  });

  it('shows no percentage of nothing', () => {
    const none = { total: 0, covered: 0 };
    const projects = sumByProject({ 'libs/types/src/x.ts': { lines: none, branches: none } });
    expect(toCoverageTable(projects)).toContain('| libs/types | 1 |  |  |');
  });
});
