import { PARTS_COLUMN, ratioColumns, toTable, atLeast, atMost } from '../report/print-report.ts';
import type { Table, Aim } from '../report/print-report.ts';
import { medianRows } from '../report/summarize-rows.ts';
import type { MemoryState } from './measure-memory.ts';
import { CONNECTION_MODES, toLatencyLoad, toSendingLoad } from './webhook-row.ts';
import type { WebhookRow, WebhookSystem, Connection } from './webhook-row.ts';

/**
 * Medians of a row over all benchmark rounds; times in milliseconds, CPU in seconds per 1,000
 * deliveries or events.
 */
export type WebhookSummary = Omit<WebhookRow, 'round'> & {
  /** Figures relative to the reference with the same load. */
  ratios: Readonly<Record<string, number>>;
};

const REFERENCES: readonly WebhookSystem[] = ['bare posts', 'bare publishes'];

/** Returns one summary per row, compared with its reference, in the order of measurement. */
export const summarizeWebhooks = (rows: readonly WebhookRow[]): WebhookSummary[] => {
  const medians = medianRows(rows, ({ load, system }) => `${load} ${system}`);
  return medians.map((row) => {
    const reference = medians.find(
      ({ load, system }) => load === row.load && REFERENCES.includes(system),
    );
    if (!reference || reference === row) return { ...row, ratios: {} };
    const ratios = {
      '/s of bare': row.perSecond / reference.perSecond,
      'CPU of bare': row.cpuPer1000 / reference.cpuPer1000,
    };
    return { ...row, ratios };
  });
};

/** Returns the summary of a row, or undefined if every benchmark round of it failed. */
export const findWebhookRow = (
  rows: readonly WebhookSummary[],
  name: Pick<WebhookSummary, 'system' | 'load'>,
): WebhookSummary | undefined =>
  rows.find(({ system, load }) => system === name.system && load === name.load);

export const toWebhookTable = (rows: readonly WebhookSummary[]): Table =>
  toTable('medians; times in ms, CPU in seconds per 1,000 deliveries or events', rows, [
    ['load', ({ load }) => load],
    ['system', ({ system }) => system],
    ['/s', ({ perSecond }) => perSecond.toFixed(0)],
    ['p50', ({ latencyMs }) => latencyMs?.p50.toFixed(2)],
    ['p95', ({ latencyMs }) => latencyMs?.p95.toFixed(2)],
    ['p99', ({ latencyMs }) => latencyMs?.p99.toFixed(2)],
    ['CPU', ({ cpuPer1000 }) => cpuPer1000.toFixed(3)],
    ...ratioColumns(rows),
    PARTS_COLUMN,
  ]);

export const toMemoryTable = (states: readonly MemoryState[]): Table =>
  toTable('resident memory of the notifier in MB', states, [
    ['while', ({ state }) => state],
    ['median', ({ medianMb }) => medianMb.toFixed(0)],
    ['peak', ({ peakMb }) => peakMb.toFixed(0)],
    ['sent/s', ({ perSecond }) => perSecond?.toFixed(0)],
  ]);

/** Maximum p50 in milliseconds from a commit to its POST on an idle system. */
const LATENCY_AIM_MS = 50;
/** Minimum deliveries a second by kind of connection, for any number of webhooks. */
const RATE_AIMS: Readonly<Record<Connection, number>> = { reused: 800, fresh: 300 };

/** Compares latencies and rates with their aims; an unmeasured aim counts as missed. */
export const judgeWebhooks = (
  rows: readonly WebhookSummary[],
  webhooks: readonly number[],
): Aim[] => [
  ...CONNECTION_MODES.map((connection) => {
    const load = toLatencyLoad('idle', connection);
    const row = findWebhookRow(rows, { system: 'whole path', load });
    const p50 = row?.latencyMs?.p50 ?? Number.NaN;
    return atMost(`p50 of ${load}`, 'ms', LATENCY_AIM_MS, p50);
  }),
  ...CONNECTION_MODES.flatMap((connection) =>
    webhooks.map((count) => {
      const load = toSendingLoad(count, connection);
      const row = findWebhookRow(rows, { system: 'notifier', load });
      return atLeast(load, '/s', RATE_AIMS[connection], row?.perSecond ?? Number.NaN);
    }),
  ),
];
