import { describe, expect, it } from '@jest/globals';
import type { SummaryRow } from '../report/summarize-rows.ts';
import {
  compareWithInserts,
  judgeLedger,
  MANY_WORKSPACES,
  ONE_WORKSPACE,
} from './compare-with-inserts.ts';

const makeRow = (
  system: string,
  inFlight: number,
  figures: Partial<SummaryRow> = {},
): SummaryRow => ({
  system,
  load: ONE_WORKSPACE,
  inFlight,
  perSecond: 9_000,
  p50: 1,
  p99: 20,
  cpuPer1000: 0.2,
  cpuPer1000By: {},
  bystanderCpuPer1000By: {},
  ...figures,
});

const ROWS = [
  makeRow('insert', 200, { perSecond: 18_000, cpuPer1000: 0.1 }),
  makeRow('insert', 1),
  makeRow('certify', 200),
  makeRow('certify', 1),
  makeRow('append', 1),
  makeRow('append', 200, { perSecond: 18_000 }),
  makeRow('certify, metered', 200, { perSecond: 12_060, p99: 25, cpuPer1000: 0.25 }),
  makeRow('certify', 200, { load: MANY_WORKSPACES, cpuPer1000: 0.4 }),
  makeRow('certify, metered', 200, { load: MANY_WORKSPACES, cpuPer1000: 0.5, perSecond: 4_500 }),
  makeRow('append, logged', 200, { perSecond: 17_100, cpuPer1000: 0.22 }),
];
const PACE = { ledger: { callers: [1, 200], row: { warmUpMs: 0, measureMs: 0, callsMax: 0 } } };

describe('compareWithInserts', () => {
  it('relates calls with the transparency log to those without', () => {
    const { ratios } = compareWithInserts(ROWS)[9]!;
    expect(ratios['/s of unlogged']).toBeCloseTo(0.95);
    expect(ratios['CPU of unlogged']).toBeCloseTo(1.1);
  });

  it('relates metered calls to inserts and to the same unmetered calls', () => {
    const ratios = compareWithInserts(ROWS).map((row) => row.ratios);
    expect(ratios[2]).toEqual({ '/s of insert': 0.5, 'CPU of insert': 2 });
    expect(ratios[6]!['CPU of unmetered']).toBeCloseTo(1.25);
    expect(ratios[8]).toEqual({
      '/s of insert': 0.25,
      'CPU of insert': 5,
      '/s of unmetered': 0.5,
      'CPU of unmetered': 1.25,
    });
  });
});

describe('judgeLedger', () => {
  it('accepts metered calls at the limits of their aims', () => {
    expect(judgeLedger(ROWS, PACE).filter(({ met }) => !met)).toEqual([]);
  });

  it('judges one workspace with the most callers, and misses the aim for slower calls', () => {
    const slow = ROWS.with(6, makeRow('certify, metered', 200, { perSecond: 12_000, p99: 25.1 }));
    const missed = judgeLedger(slow, PACE).filter(({ met }) => !met);
    expect(missed.map(({ name, aim }) => [name, aim])).toEqual([
      ['rate of reservation and certificate, 200 callers, metered', '>= 0.67'],
      ['p99 of reservation and certificate, 200 callers, metered', '<= 25'],
    ]);
  });

  it('misses the aims for a log that makes certificates slower', () => {
    const slow = ROWS.with(9, makeRow('append, logged', 200, { perSecond: 17_000, p99: 20.1 }));
    const missed = judgeLedger(slow, PACE).filter(({ met }) => !met);
    expect(missed.map(({ name, aim }) => [name, aim])).toEqual([
      ['rate of certificates alone with the log, 200 callers', '>= 0.95'],
      ['p99 of certificates alone with the log, 200 callers', '<= 1'],
    ]);
  });
});
