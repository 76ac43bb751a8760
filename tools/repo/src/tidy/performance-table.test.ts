import { describe, expect, it } from '@jest/globals';
import { renderPages } from '../performance-table.ts';
import { treeOf } from '../tree.ts';
import { performanceTable } from './performance-table.ts';

const PAGES = {
  'docs/performance.md': ['measurements', 'cores', 'chains'],
  'docs/where-the-time-goes.md': ['multiples', 'stages', 'floor'],
  'docs/life-of-a-completion.md': ['walk', 'objects'],
};
const EMPTY_PAGES = Object.fromEntries(
  Object.entries(PAGES).map(([page, names]) => [
    page,
    names
      .map(
        (name) =>
          `<!-- ${name}: written by \`npm run performance-table\` -->\n<!-- end of ${name} -->\n`,
      )
      .join(''),
  ]),
);
const PAGE = 'docs/performance.md';
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
      ratios: { 'CPU of floor-work': 4.875 },
    },
  ]),
  floor: [
    { piece: 'pipe', work: 'bytes', plainMicros: 40, streamedMicros: 90, aloneMs: 0.2 },
    { piece: 'parse', work: 'bodies', plainMicros: 51, streamedMicros: 180, aloneMs: 0.25 },
  ],
  inside: [
    {
      load: 'chat-plain',
      micros: { 'libs/privacy': 98, pg: 0.9, undici: 0.6 },
      counts: { promises: 206 },
    },
  ],
};
const WALK = {
  plain: { files: { ledger: 11, proof: 9 }, calls: 1_900, parses: 3, forms: 8 },
  streamed: { files: { ledger: 11 }, calls: 2_450, parses: 3, forms: 9 },
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
  'e2e/completion-walk.json': JSON.stringify(WALK),
  'benchmarks/results/gateway-2026-01-01.json': JSON.stringify(GATEWAY),
  'benchmarks/results/ledger-2026-01-01.json': makeResult('2026-01-01T10:00:00Z', 5.55555),
  'benchmarks/results/ledger-2026-01-02.json': makeResult('2026-01-02T10:00:00Z', 1.23456),
};

describe('performanceTable', () => {
  it('accepts pages with the newest result of each benchmark', () => {
    const pages = renderPages(treeOf({ ...RESULTS, ...EMPTY_PAGES }));
    const page = pages.get(PAGE)!;
    expect(page).toContain('| ledger | p50 | ms | <= 2 | 1.23 | yes | 2026-01-02 |');
    expect(page).not.toContain('2026-01-01');
    expect(page).toContain('| together | chat-plain | 1.9 | 513 | 20 | 1,950 |');
    expect(page).toContain('| certify | 1 workspace | 200 | 2269 | 0.30 | 0.19 |');
    expect(performanceTable(treeOf({ ...RESULTS, ...Object.fromEntries(pages) }))).toEqual([]);
  });

  it('shows where the time of a call goes, and what it walks through', () => {
    const pages = renderPages(treeOf({ ...RESULTS, ...EMPTY_PAGES }));
    const time = pages.get('docs/where-the-time-goes.md')!;
    expect(time).toContain('| load | separate |\n| - | - |\n| chat-plain | 4.9 |');
    expect(time).toContain('| parse | bodies | 51 | 11 | 180 | 90 | 0.25 |');
    expect(time).toContain('| libs/privacy | 98 |\n| all shorter ones | 2 |\n| together | 100 |');
    const life = pages.get('docs/life-of-a-completion.md')!;
    expect(life).toContain('| files of proof | 9 | 0 |\n| files together | 20 | 11 |');
    expect(life).toContain('| promises | 206.0 |');
  });

  it('refuses a page with other figures, and one without a table', () => {
    const pages = Object.fromEntries(renderPages(treeOf({ ...RESULTS, ...EMPTY_PAGES })));
    for (const figure of ['1.22', '-1.23']) {
      const stalePage = pages[PAGE]!.replace('1.23', figure);
      expect(performanceTable(treeOf({ ...RESULTS, ...pages, [PAGE]: stalePage }))).toHaveLength(1);
    }
    expect(() => performanceTable(treeOf({ ...RESULTS, [PAGE]: '# Speed\n' }))).toThrow(PAGE);
  });
});
