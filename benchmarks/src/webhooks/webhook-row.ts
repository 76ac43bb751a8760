import type { LatencySummary } from '../load/latency-summary.ts';
import type { CpuAccount } from '../measure-row.ts';

/** Whether the receiver keeps connections open or closes each after its response. */
export type Connection = 'reused' | 'fresh';
export const CONNECTION_MODES: readonly Connection[] = ['reused', 'fresh'];

/** The notifier, the path from outbox to POST, the relay, or a reference. */
export type WebhookSystem = 'notifier' | 'bare posts' | 'whole path' | 'relay' | 'bare publishes';

/** One measured run of deliveries or events; CPU in seconds per 1,000 of them. */
export type WebhookMeasurement = CpuAccount & {
  calls: number;
  elapsedMs: number;
  perSecond: number;
  latencyMs?: LatencySummary;
  /** Number of connections that the receiver counted. */
  connections?: number;
  signaturesVerified?: number;
};

export type WebhookRow = WebhookMeasurement & {
  system: WebhookSystem;
  load: string;
  round: number;
};

/** Returns the name of the load that sends pending deliveries to this many webhooks. */
export const toSendingLoad = (webhooks: number, connection: Connection): string =>
  `deliveries to ${webhooks} webhook${webhooks === 1 ? '' : 's'}, ${connection}`;

/** Returns the name of the load that relays events from an outbox and posts them. */
export const toPathLoad = (connection: Connection): string => `events to POSTs, ${connection}`;

/**
 * Returns the name of the load that commits events one by one, with pauses or at half the full
 * rate.
 */
export const toLatencyLoad = (preset: 'idle' | 'half load', connection: Connection): string =>
  `commit to POST, ${preset}, ${connection}`;

/**
 * Thrown for a row whose deliveries did not arrive as guaranteed; it is invalid and fails the run.
 */
export class InvalidRow extends Error {}

export const RELAY_LOAD = 'events to PubAcks';
