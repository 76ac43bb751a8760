import type { LatencySummary } from '../load/latency-summary.ts';
import type { CpuAccount } from '../measure-row.ts';

/** Whether the receiver keeps connections or ends each with its answer. */
export type Connection = 'kept' | 'fresh';
export const CONNECTIONS: readonly Connection[] = ['kept', 'fresh'];

/** What sends: the product, a part of it, or a reference that does only what must be done. */
export type WebhookSystem = 'notifier' | 'bare posts' | 'whole path' | 'relay' | 'bare publishes';

/** One stretch of deliveries or facts as it was measured; CPU in seconds per 1,000 of them. */
export type WebhookMeasurement = CpuAccount & {
  calls: number;
  elapsedMs: number;
  perSecond: number;
  latencyMs?: LatencySummary;
  /** That the receiver saw. */
  connections?: number;
  signaturesVerified?: number;
};

export type WebhookRow = WebhookMeasurement & {
  system: WebhookSystem;
  load: string;
  round: number;
};

/** Deliveries that wait for so many webhooks. */
export const toSendingLoad = (webhooks: number, connection: Connection): string =>
  `deliveries to ${webhooks} webhook${webhooks === 1 ? '' : 's'}, ${connection}`;

/** Facts that wait in an outbox. */
export const toPathLoad = (connection: Connection): string => `facts to POSTs, ${connection}`;

/** Facts that are committed one by one: with pauses, or at half the rate of the path. */
export const toLatencyLoad = (pace: 'idle' | 'half load', connection: Connection): string =>
  `commit to POST, ${pace}, ${connection}`;

/** What a row sent did not arrive as promised: it counts for nothing, and fails the run. */
export class RowFault extends Error {}

export const RELAY_LOAD = 'facts to PubAcks';
