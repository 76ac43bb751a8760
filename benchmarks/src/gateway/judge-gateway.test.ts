import { describe, expect, it } from '@jest/globals';
import { FULL } from '../preset.ts';
import type { SummaryRow } from '../report/summarize-rows.ts';
import { compareWithPipe, judgeGateway } from './judge-gateway.ts';

const makeRow = (system: string, load: string, cpuPer1000: number): SummaryRow => ({
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
});

const ROWS = [
  makeRow('pipe', 'chat-plain', 0.125),
  makeRow('standalone', 'chat-plain', 0.25),
  makeRow('standalone, metered', 'chat-plain', 0.3125),
  makeRow('separate', 'chat-plain', 0.5),
  makeRow('separate, metered', 'chat-plain', 0.75),
];

describe('the cost of metering', () => {
  it('is the CPU relative to the same unmetered system with the same load', () => {
    const other = makeRow('standalone', 'chat-streamed', 9);
    const pipe = makeRow('pipe', 'chat-streamed', 9);
    const ratios = compareWithPipe([pipe, other, ...ROWS]).map(
      (row) => row.ratios['CPU of unmetered'],
    );
    expect(ratios).toEqual([undefined, undefined, undefined, undefined, 1.25, undefined, 1.5]);
  });

  it('may be a quarter of the unmetered cost', () => {
    const judged = judgeGateway(ROWS, FULL).filter(({ name }) => name.includes('metered'));
    expect(judged.map(({ name, measured, met }) => [name, measured, met])).toEqual([
      ['CPU of unmetered when metered, standalone, chat-plain, 64 at once', 1.25, true],
      ['CPU of unmetered when metered, separate, chat-plain, 64 at once', 1.5, false],
    ]);
  });

  it('is not judged if it was not measured', () => {
    const judged = judgeGateway(ROWS.slice(0, 2), FULL);
    expect(judged.map(({ name }) => name)).toEqual(['CPU, standalone, chat-plain, 64 at once']);
  });
});
