import { atLeast, atMost } from '../report/aim.ts';
import type { Aim } from '../report/aim.ts';
import { findWebhookRow } from './summarize-webhooks.ts';
import type { WebhookSummary } from './summarize-webhooks.ts';
import { CONNECTION_MODES, toLatencyLoad, toSendingLoad } from './webhook-row.ts';
import type { Connection } from './webhook-row.ts';

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
