import { captureTrace, workspaceScope } from '@witan/service-kit';
import type { TraceCarrier, SecretCipher } from '@witan/service-kit';
import type { RetrySchedule } from '@witan/contracts';
import type { Pool } from 'pg';
import type { DueDelivery } from '../delivery.ts';
import type { DeliveryQueue } from '../delivery-worker.ts';
import { isSlow } from '../settle-attempt.ts';
import { decryptSecrets } from '../../webhook/store/encrypted-secret.ts';
import type { RecordEvent } from '../delivery.ts';

export type QueueLimits = {
  perWebhook: number;
  leaseMs: number;
};

/**
 * Creates the delivery queue. It uses `pg` directly instead of the ORM, with one round trip per
 * operation, for throughput.
 */
export const createDeliveryQueue = (
  pool: Pool,
  secretCipher: SecretCipher,
  { perWebhook, leaseMs }: QueueLimits,
): DeliveryQueue => ({
  claim: async ({ max, leased }) => {
    const values = [max, perWebhook, leaseMs, leased];
    const { rows } = await pool.query<ClaimedRow>({ ...CLAIM, values });
    return rows.map((row) => toDue(row, secretCipher));
  },
  settle: async (settlements) => {
    const { rows } = await pool.query<{ settled: number }>({
      ...SETTLE_ATTEMPTS_STATEMENT,
      values: [
        settlements.map(({ id }) => id),
        settlements.map(({ webhookId }) => webhookId),
        settlements.map(({ lease }) => lease),
        settlements.map(({ state }) => state),
        settlements.map(({ result }) => result !== undefined),
        settlements.map(({ result }) => result !== undefined && isSlow(result)),
        settlements.map(({ result }) => result?.statusCode ?? 0),
        settlements.map(({ result }) => result?.error ?? null),
        settlements.map(({ delayMs }) => delayMs),
      ],
    });
    return { lateCount: settlements.length - rows[0]!.settled };
  },
  disableGone: async ({ webhookId, endpointVersion, url }) => {
    const values = [webhookId, endpointVersion, url];
    const { rows } = await pool.query<DisabledRow>({ ...DISABLE_STATEMENT, values });
    return rows[0]!.outcome;
  },
  nextDueMs: async () => {
    const { rows } = await pool.query<{ ms: number | null }>(NEXT_DUE_STATEMENT);
    const [{ ms }] = rows as [{ ms: number | null }];
    // Rounded up to whole milliseconds, because a timer that fires too early would claim nothing.
    return ms === null ? undefined : Math.max(Math.ceil(ms), 0);
  },
});

const CLAIM = {
  name: 'claim_scheduled_deliveries',
  text: 'SELECT * FROM claim_scheduled_deliveries($1, $2, $3, $4)',
};
const SETTLE_ATTEMPTS_STATEMENT = {
  name: 'settle_attempts',
  text: `SELECT settle_attempts(ROW($1, $2, $3, $4, $5, $6, $7, $8, $9)::attempt_columns)
    AS settled`,
};
const DISABLE_STATEMENT = {
  name: 'disable_gone_webhook',
  text: 'SELECT disable_gone_webhook($1, $2, $3) AS outcome',
};
type DisabledRow = { outcome: Awaited<ReturnType<DeliveryQueue['disableGone']>> };
const NEXT_DUE_STATEMENT = { name: 'next_due_ms', text: 'SELECT next_due_ms() AS ms' };

type ClaimedRow = {
  id: string;
  workspace_id: string;
  webhook_id: string;
  event: string;
  body: string;
  lease: string;
  attempt: number;
  waited_ms: number;
  url: string;
  sealed_secret: string;
  previous_sealed_secret: string | null;
  trace: TraceCarrier;
  retry_schedule: RetrySchedule;
  endpoint_version: number;
};

const toDue = (row: ClaimedRow, secretCipher: SecretCipher): DueDelivery => {
  const { workspace_id: workspaceId, webhook_id: webhookId } = row;
  const encrypted = { current: row.sealed_secret, previous: row.previous_sealed_secret };
  return {
    id: row.id,
    workspaceId,
    webhookId,
    event: row.event,
    body: row.body,
    lease: row.lease,
    attempt: row.attempt,
    retrySchedule: row.retry_schedule,
    endpointVersion: row.endpoint_version,
    url: row.url,
    secrets: decryptSecrets(secretCipher, encrypted, { workspaceId, webhookId }),
    waitedMs: row.waited_ms,
    trace: row.trace,
  };
};

export const createRecordEvent =
  (pool: Pool): RecordEvent =>
  async ({ id, workspaceId, type, idPrefix, envelope }) => {
    const { setting: workspace } = workspaceScope(workspaceId);
    const { prefix, suffix } = envelope;
    const values = [workspace, id, type, idPrefix, prefix, suffix, captureTrace()];
    const { rows } = await pool.query<{ made: number }>({ ...RECORD_EVENT, values });
    return rows[0]!.made;
  };

const RECORD_EVENT = {
  name: 'book_traced_fact',
  text: 'SELECT book_fact($1, $2, $3, $4, $5, $6, $7) AS made',
};
