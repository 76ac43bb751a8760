import { describe, expect, it } from '@jest/globals';
import { FULL } from '../preset.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';
import { compareSystems } from './compare-systems.ts';
import { judgeGateway } from './judge-gateway.ts';

const makeRow = (
  system: string,
  load: string,
  cpuPer1000: number,
  rest: Partial<SummaryRow> = {},
): SummaryRow => ({
  system,
  load,
  inFlight: 64,
  perSecond: 1_000,
  p50: 1,
  p99: 2,
  firstByteP50: 1,
  firstByteP99: 2,
  cpuPer1000,
  cpuPer1000By: {},
  bystanderCpuPer1000By: {},
  ...rest,
});

const ROWS = [
  makeRow('pipe', 'chat-plain', 0.125),
  makeRow('floor-work', 'chat-plain', 0.25),
  makeRow('standalone', 'chat-plain', 0.25),
  makeRow('standalone, metered', 'chat-plain', 0.3125),
  makeRow('separate', 'chat-plain', 0.75),
  makeRow('separate, metered', 'chat-plain', 1.125),
];
/** Paced rows at the rate that the pace allows, except for the pipe and `standalone`. */
const makePacedRows = (shares: { pipe: number; standalone: number }): SummaryRow[] => {
  const allowedRate = 256 / 0.44;
  return Object.entries({ direct: 1, ...shares }).map(([system, share]) =>
    makeRow(system, 'chat-paced', 1, { inFlight: 256, perSecond: share * allowedRate }),
  );
};

const judge = (rows: readonly SummaryRow[], mark: string) =>
  judgeGateway(rows, FULL, [])
    .filter(({ name }) => name.includes(mark))
    .map(({ name, measured, met }) => [name, measured, met]);

describe('compareSystems', () => {
  it('returns CPU relative to both references, and of metered systems to the unmetered', () => {
    const names = ['CPU of floor-work', 'CPU of pipe', 'CPU of unmetered'];
    const ratios = compareSystems(ROWS).map((row) => names.map((name) => row.ratios[name]));

    expect(ratios).toEqual([
      [0.5, 1, undefined],
      [1, 2, undefined],
      [1, 2, undefined],
      [1.25, 2.5, 1.25],
      [3, 6, undefined],
      [4.5, 9, 1.5],
    ]);
  });
});

describe('judgeGateway', () => {
  it('judges CPU at full load in multiples of floor-work', () => {
    expect(judge(ROWS, 'CPU of floor-work')).toEqual([
      ['CPU of floor-work, standalone, chat-plain, 64 at once', 1, true],
      ['CPU of floor-work, separate, chat-plain, 64 at once', 3, false],
    ]);
  });

  it('judges the cost of metering only where it was measured', () => {
    expect(judge(ROWS, 'metered')).toEqual([
      ['CPU of unmetered when metered, standalone, chat-plain, 64 at once', 1.25, true],
      ['CPU of unmetered when metered, separate, chat-plain, 64 at once', 1.5, false],
    ]);
    expect(judge(ROWS.slice(0, 3), 'metered')).toEqual([]);
  });

  it('judges a large body in multiples of the pipe, and a single call in ms over it', () => {
    const alone = { inFlight: 1 };
    const rows = [
      makeRow('pipe', 'chat-plain-100k', 1),
      makeRow('standalone', 'chat-plain-100k', 5),
      makeRow('pipe', 'chat-plain', 1, alone),
      makeRow('standalone', 'chat-plain', 1, { ...alone, p50: 2.25 }),
    ];
    expect(judge(rows, '')).toEqual([
      ['CPU of pipe, standalone, chat-plain-100k, 64 at once', 5, false],
      ['p50 over the pipe, standalone, chat-plain, 1 at once', 1.25, true],
    ]);
  });

  it('judges paced streams only if the pipe nearly kept the direct rate', () => {
    const name = 'share of the direct rate, standalone, chat-paced, 256 at once';
    const slow = makePacedRows({ pipe: 0.9375, standalone: 0.875 });
    const fast = makePacedRows({ pipe: 1, standalone: 0.875 });

    expect(judge(slow, 'rate, standalone')).toEqual([]);
    expect(judge(fast, 'rate, standalone')).toEqual([[name, 0.875, false]]);
  });

  it('judges memory without that of PostgreSQL', () => {
    const idleMib = { witan: 240, postgres: 100 };
    const memory = [{ system: 'standalone', idleMib, loadedMib: { witan: 420, postgres: 150 } }];

    expect(judgeGateway([], FULL, memory).map(({ measured, met }) => [measured, met])).toEqual([
      [240, true],
      [420, false],
    ]);
  });
});
