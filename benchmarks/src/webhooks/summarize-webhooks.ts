import { listParts } from '../report/print-report.ts';
import { median, medianByName } from '../report/median.ts';
import type { Table } from '../report/print-table.ts';
import type { MemoryState } from './measure-memory.ts';
import type { WebhookRow, WebhookSystem } from './webhook-row.ts';

/**
 * Medians of a row over all benchmark rounds; times in milliseconds, CPU in seconds per 1,000
 * deliveries or events.
 */
export type WebhookSummary = {
  system: WebhookSystem;
  load: string;
  perSecond: number;
  latencyMs?: Readonly<Record<'p50' | 'p95' | 'p99', number>>;
  connections?: number;
  cpuPer1000: number;
  cpuPer1000By: Readonly<Record<string, number>>;
  bystanderCpuPer1000By: Readonly<Record<string, number>>;
  /** Figures relative to the reference with the same load. */
  ratios: Readonly<Record<string, number>>;
};

const REFERENCES: readonly WebhookSystem[] = ['bare posts', 'bare publishes'];

/** Returns one summary per row, compared with its reference, in the order of measurement. */
export const summarizeWebhooks = (rows: readonly WebhookRow[]): WebhookSummary[] => {
  const groups = Map.groupBy(rows, ({ load, system }) => `${load} ${system}`);
  const medians = [...groups.values()].map(toMedians);
  return medians.map((row) => {
    const reference = medians.find(
      ({ load, system }) => load === row.load && REFERENCES.includes(system),
    );
    if (!reference || reference === row) return row;
    const ratios = {
      '/s of bare': row.perSecond / reference.perSecond,
      'CPU of bare': row.cpuPer1000 / reference.cpuPer1000,
    };
    return { ...row, ratios };
  });
};

const toMedians = (rounds: readonly WebhookRow[]): WebhookSummary => {
  const { system, load } = rounds[0]!;
  const latencies = rounds.flatMap(({ latencyMs }) => latencyMs ?? []);
  const connections = rounds.flatMap((round) => round.connections ?? []);
  return {
    system,
    load,
    perSecond: median(rounds.map((round) => round.perSecond)),
    ...(latencies.length > 0
      ? {
          latencyMs: {
            p50: median(latencies.map(({ p50 }) => p50)),
            p95: median(latencies.map(({ p95 }) => p95)),
            p99: median(latencies.map(({ p99 }) => p99)),
          },
        }
      : {}),
    ...(connections.length > 0 ? { connections: median(connections) } : {}),
    cpuPer1000: median(rounds.map((round) => round.cpuPer1000)),
    cpuPer1000By: medianByName(rounds.map((round) => round.cpuPer1000By)),
    bystanderCpuPer1000By: medianByName(rounds.map((round) => round.bystanderCpuPer1000By)),
    ratios: {},
  };
};

/** Returns the summary of a row, or undefined if every benchmark round of it failed. */
export const findWebhookRow = (
  rows: readonly WebhookSummary[],
  name: Pick<WebhookSummary, 'system' | 'load'>,
): WebhookSummary | undefined =>
  rows.find(({ system, load }) => system === name.system && load === name.load);

export const toWebhookTable = (rows: readonly WebhookSummary[]): Table => {
  const ratioNames = [...new Set(rows.flatMap(({ ratios }) => Object.keys(ratios)))];
  return {
    title: 'medians; times in ms, CPU in seconds per 1,000 deliveries or events',
    headings: ['load', 'system', '/s', 'p50', 'p95', 'p99', 'CPU', ...ratioNames, 'of'],
    rows: rows.map((row) => [
      row.load,
      row.system,
      row.perSecond.toFixed(0),
      ...(['p50', 'p95', 'p99'] as const).map((name) => row.latencyMs?.[name].toFixed(2) ?? ''),
      row.cpuPer1000.toFixed(3),
      ...ratioNames.map((name) => row.ratios[name]?.toFixed(2) ?? ''),
      listParts(row.cpuPer1000By),
    ]),
  };
};

export const toMemoryTable = (states: readonly MemoryState[]): Table => ({
  title: 'resident memory of the notifier in MB',
  headings: ['while', 'median', 'peak', 'sent/s'],
  rows: states.map(({ state, medianMb, peakMb, perSecond }) => [
    state,
    medianMb.toFixed(0),
    peakMb.toFixed(0),
    perSecond?.toFixed(0) ?? '',
  ]),
});
