import { describe, expect, it } from '@jest/globals';
import type { SummaryRow } from '../report/summarize-rows.ts';
import { compareSystems } from './compare-systems.ts';
import { COLD_LOAD } from './gateway-loads.ts';
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
  makeRow('standalone', 'chat-plain', 0.5, { cpuPer1000By: { postgres: 0.125 } }),
  makeRow('separate', 'chat-plain', 1, { p99: 3 }),
  makeRow('Portkey', 'chat-plain', 2),
  makeRow('standalone', COLD_LOAD, 1),
];

const judge = (rows: readonly SummaryRow[], mark: string) =>
  judgeGateway(compareSystems(rows), [])
    .filter(({ name }) => name.includes(mark))
    .map(({ name, measured, met }) => [name, measured, met]);

describe('judgeGateway', () => {
  it('judges CPU in multiples of floor-work, the first seconds in those of warm floor-work', () => {
    expect(judge(ROWS, 'CPU of floor-work')).toEqual([
      ['CPU of floor-work, standalone, chat-plain, 64 at once', 2, true],
      ['CPU of floor-work, separate, chat-plain, 64 at once', 4, false],
      ['CPU of floor-work, standalone, chat-plain, cold, 64 at once', 4, true],
    ]);
  });

  it('judges CPU beside a peer only where it was measured', () => {
    expect(judge(ROWS, 'Portkey')).toEqual([
      ['CPU of Portkey, standalone, chat-plain, 64 at once', 0.25, true],
      ['CPU of Portkey, separate, chat-plain, 64 at once', 0.5, true],
    ]);
    expect(judge(ROWS.slice(0, 4), 'Portkey')).toEqual([]);
  });

  it("judges PostgreSQL's part and the slowest calls", () => {
    expect(judge(ROWS, 'PostgreSQL')).toEqual([
      ['CPU of PostgreSQL, standalone, chat-plain, 64 at once', 0.125, false],
    ]);
    expect(judge(ROWS, 'p99')).toEqual([
      ['p99 of p50, standalone, chat-plain, 64 at once', 2, true],
      ['p99 of p50, separate, chat-plain, 64 at once', 3, false],
    ]);
  });

  it('judges a large body in multiples of the pipe, and a single call in ms over it', () => {
    const alone = { inFlight: 1 };
    const rows = [
      makeRow('pipe', 'chat-plain-100k', 1),
      makeRow('floor-work', 'chat-plain-100k', 2),
      makeRow('standalone', 'chat-plain-100k', 7),
      makeRow('pipe', 'chat-plain', 1, alone),
      makeRow('floor-work', 'chat-plain', 1, alone),
      makeRow('standalone', 'chat-plain', 1, { ...alone, p50: 2.25 }),
    ];
    expect(judge(rows, '')).toEqual([
      ['CPU of pipe, standalone, chat-plain-100k, 64 at once', 7, false],
      ['p50 +ms, standalone, chat-plain, 1 at once', 1.25, true],
    ]);
  });

  it('judges memory with that of PostgreSQL', () => {
    const idleMib = { witan: 140, postgres: 100 };
    const memory = [{ system: 'standalone', idleMib, loadedMib: { witan: 420, postgres: 50 } }];

    expect(judgeGateway([], memory).map(({ measured, met }) => [measured, met])).toEqual([
      [240, true],
      [470, false],
    ]);
  });
});
