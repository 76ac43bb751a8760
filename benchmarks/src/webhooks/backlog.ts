import type { WebhookTestbed } from './open-webhook-testbed.ts';
import { idsOf } from './webhook-group.ts';
import type { WebhookGroup } from './webhook-group.ts';

/**
 * Inserts pending deliveries for a paused group, round-robin over its webhooks, each with the body
 * of a real event. Returns their ids.
 */
export const fillBacklog = async (
  { database }: WebhookTestbed,
  group: WebhookGroup,
  deliveries: number,
): Promise<string[]> => {
  const perWebhook = Math.ceil(deliveries / group.webhooks.length);
  const values = [idsOf(group), perWebhook, deliveries];
  const { rows } = await database.query<{ id: string }>(INSERT_DELIVERIES, values);
  return rows.map(({ id }) => id);
};

const INSERT_DELIVERIES = `
  WITH model AS (
    SELECT DISTINCT ON (webhook_id) workspace_id, webhook_id, event, body
    FROM notifier.delivery WHERE webhook_id = ANY ($1) AND event_id IS NOT NULL
    ORDER BY webhook_id, created_at
  ), filled AS (
    INSERT INTO notifier.delivery (id, workspace_id, webhook_id, event, body)
    SELECT 'dlv_' || replace(gen_random_uuid()::text, '-', ''), workspace_id, webhook_id, event,
      body
    FROM generate_series(1, $2) AS turn CROSS JOIN model ORDER BY turn LIMIT $3
    RETURNING id
  ), told AS (SELECT pg_notify('notifier_due', ''))
  SELECT id FROM filled, told`;

/** Makes the group's pending deliveries due after `delayMs` and wakes the notifier. */
export const postponeBacklog = async (
  { database }: WebhookTestbed,
  group: WebhookGroup,
  delayMs: number,
): Promise<void> => {
  await database.query(POSTPONE_DELIVERIES, [idsOf(group), delayMs]);
};

const POSTPONE_DELIVERIES = `
  WITH moved AS (
    UPDATE notifier.delivery
    SET due_at = clock_timestamp() + $2 * interval '1 millisecond'
    WHERE webhook_id = ANY ($1) AND state = 'pending' RETURNING 1
  ) SELECT pg_notify('notifier_due', '') FROM (SELECT count(*) FROM moved) AS done`;

/** Deletes the group's pending deliveries. */
export const deleteBacklog = async (
  { database }: WebhookTestbed,
  group: WebhookGroup,
): Promise<void> => {
  await database.query(
    `DELETE FROM notifier.delivery WHERE webhook_id = ANY ($1) AND state = 'pending'`,
    [idsOf(group)],
  );
};

/** A delivery as stored by the notifier. */
export type StoredDelivery = {
  id: string;
  eventId: string | null;
  state: string;
  attempts: number;
};

export const readDeliveries = async (
  { database }: WebhookTestbed,
  ids: readonly string[],
): Promise<StoredDelivery[]> => {
  const { rows } = await database.query<StoredDelivery>(`${SELECT_DELIVERIES} id = ANY ($1)`, [
    ids,
  ]);
  return rows;
};

export const readDeliveriesOfEvents = async (
  { database }: WebhookTestbed,
  eventIds: readonly string[],
): Promise<StoredDelivery[]> => {
  const { rows } = await database.query<StoredDelivery>(
    `${SELECT_DELIVERIES} event_id = ANY ($1)`,
    [eventIds],
  );
  return rows;
};

const SELECT_DELIVERIES = `
  SELECT id, event_id AS "eventId", state, attempts FROM notifier.delivery WHERE`;

export const readBody = async (
  { database }: WebhookTestbed,
  group: WebhookGroup,
): Promise<string> => {
  const { rows } = await database.query<{ body: string }>(
    'SELECT body FROM notifier.delivery WHERE webhook_id = ANY ($1) LIMIT 1',
    [idsOf(group)],
  );
  return rows[0]!.body;
};
