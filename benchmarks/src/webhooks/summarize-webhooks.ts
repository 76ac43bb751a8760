import { medianRows } from '../report/median.ts';
import { PARTS_COLUMN, ratioColumns, toTable } from '../report/print-table.ts';
import type { Table } from '../report/print-table.ts';
import type { MemoryState } from './measure-memory.ts';
import type { WebhookRow, WebhookSystem } from './webhook-row.ts';

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
