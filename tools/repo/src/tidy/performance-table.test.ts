import { describe, expect, it } from '@jest/globals';
import { renderPerformance } from '../performance-table.ts';
import { treeOf } from '../tree.ts';
import { performanceTable } from './performance-table.ts';

const PAGE = 'docs/performance.md';
const EMPTY_PAGE = ['measurements', 'cores', 'chains']
  .map(
    (name) =>
      `<!-- ${name}: written by \`npm run performance-table\` -->\n<!-- end of ${name} -->\n`,
  )
  .join('');
const busy = { inFlight: 64, perSecond: 500 };
const GATEWAY = {
  benchmark: 'gateway',
  date: '2026-01-01T10:00:00Z',
  aims: [],
  summary: ['chat-plain', 'chat-streamed'].flatMap((load) => [
    { ...busy, load, system: 'floor-work', cpuPer1000By: { 'floor-work': 0.4 } },
    {
      ...busy,
      load,
      system: 'separate',
      cpuPer1000By: { 'api-gateway': 0.5, 'llm-gateway': 1, ledger: 0.25, postgres: 0.2 },
    },
  ]),
};
const makeResult = (date: string, measured: number) =>
  JSON.stringify({
    benchmark: 'ledger',
    date,
    aims: [{ name: 'p50', unit: 'ms', aim: '<= 2', measured, met: measured <= 2 }],
    summary: [
      {
        system: 'certify',
        load: '1 workspace',
        inFlight: 200,
        perSecond: 2_268.7,
        cpuPer1000By: { ledger: 0.303, postgres: 0.193, caller: 0.1 },
      },
    ],
  });
const RESULTS = {
  'benchmarks/results/gateway-2026-01-01.json': JSON.stringify(GATEWAY),
  'benchmarks/results/ledger-2026-01-01.json': makeResult('2026-01-01T10:00:00Z', 5.55555),
  'benchmarks/results/ledger-2026-01-02.json': makeResult('2026-01-02T10:00:00Z', 1.23456),
};

describe('performanceTable', () => {
  it('accepts a page with the newest result of each benchmark', () => {
    const page = renderPerformance(treeOf(RESULTS), EMPTY_PAGE);
    expect(page).toContain('| ledger | p50 | ms | <= 2 | 1.23 | yes | 2026-01-02 |');
    expect(page).not.toContain('2026-01-01');
    expect(page).toContain('| together | chat-plain | 1.9 | 513 | 20 | 1,950 |');
    expect(page).toContain('| certify | 1 workspace | 200 | 2269 | 0.30 | 0.19 |');
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
