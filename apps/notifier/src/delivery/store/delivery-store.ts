import { defineEntity, p } from '@mikro-orm/core';
import { captureTrace, workspaceScope, sweepRows } from '@witan/service-kit';
import type { Database, SecretCipher } from '@witan/service-kit';
import type { AttemptFailure, DeliveryState, Delivery } from '../delivery.ts';
import type { DeliveryStore } from '../deliveries.ts';
import { notifyDue, WebhookEntity } from '../../webhook/store/webhook-store.ts';
import { decryptSecrets } from '../../webhook/store/encrypted-secret.ts';

export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    webhookId: p.string(),
    eventId: p.string().nullable(),
    event: p.string(),
    body: p.text(),
    state: p.string().$type<DeliveryState>(),
    attempts: p.integer(),
    statusCode: p.integer(),
    error: p.string().$type<AttemptFailure>().nullable(),
    /**
     * Time of the next attempt or, while an attempt runs, of the expiry of its lease; null once the
     * delivery has succeeded or failed.
     */
    dueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    deliveredAt: p.datetime().nullable(),
  },
});

export const createDeliveryStore = (
  database: Database,
  secretCipher: SecretCipher,
): DeliveryStore => ({
  list: (workspaceId, webhookId, limit) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      if ((await em.count(WebhookEntity, { workspaceId, id: webhookId })) === 0) return undefined;
      const rows = await em.find(
        DeliveryEntity,
        { workspaceId, webhookId },
        { orderBy: { createdAt: 'desc', id: 'desc' }, limit, fields: [...LISTED_COLUMNS] },
      );
      return rows.map(toDelivery);
    }),
  repeat: (workspaceId, { webhookId, id }, copy) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const trace = JSON.stringify(captureTrace());
      const values = [copy.id, trace, workspaceId, webhookId, id];
      const repeatedRows = await em.execute<object[]>(REPEAT, values);
      if (repeatedRows.length === 0) return undefined;
      await notifyDue(em);
      return toDelivery(await em.findOneOrFail(DeliveryEntity, { workspaceId, id: copy.id }));
    }),
  findTarget: (workspaceId, webhookId) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const row = await em.findOne(WebhookEntity, { workspaceId, id: webhookId });
      if (!row) return undefined;
      const { url, sealedSecret: current, previousSealedSecret, previousUntil } = row;
      const isRotating = previousUntil && previousUntil.getTime() > Date.now();
      const previous = isRotating ? (previousSealedSecret ?? null) : null;
      const secrets = decryptSecrets(
        secretCipher,
        { current, previous },
        { workspaceId, webhookId },
      );
      return { url, secrets };
    }),
  insertTest: (workspaceId, { id, webhookId, event, body, createdAt }, { statusCode, error }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const state = error === null ? 'delivered' : 'failed';
      await em.execute(INSERT_TEST, [
        id,
        event,
        body,
        state,
        statusCode,
        error,
        createdAt,
        error === null,
        workspaceId,
        webhookId,
      ]);
    }),
});

const REPEAT = `
  INSERT INTO delivery (id, trace, workspace_id, webhook_id, event, body)
  SELECT ?, ?::jsonb, d.workspace_id, d.webhook_id, d.event, d.body FROM delivery AS d
  JOIN webhook AS hook ON hook.id = d.webhook_id
  WHERE d.workspace_id = ? AND d.webhook_id = ? AND d.id = ?
  FOR KEY SHARE OF hook
  RETURNING id`;

/**
 * Selects from the webhook, so that nothing is inserted if it was deleted while the test was being
 * sent.
 */
const INSERT_TEST = `
  INSERT INTO delivery (
    id, workspace_id, webhook_id, event, body, state, attempts, status_code, error, due_at,
    created_at, delivered_at
  )
  SELECT ?, hook.workspace_id, hook.id, ?, ?, ?, 1, ?, ?, NULL, ?, CASE WHEN ? THEN now() END
  FROM webhook AS hook WHERE hook.workspace_id = ? AND hook.id = ? FOR KEY SHARE`;

const LISTED_COLUMNS = [
  'id',
  'event',
  'state',
  'attempts',
  'statusCode',
  'error',
  'createdAt',
  'deliveredAt',
] as const;

type DeliveryRow = Pick<
  Delivery,
  'id' | 'event' | 'state' | 'attempts' | 'statusCode' | 'createdAt'
> & { error?: Delivery['error']; deliveredAt?: Date | null };

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  event: row.event,
  state: row.state,
  attempts: row.attempts,
  statusCode: row.statusCode,
  error: row.error ?? null,
  createdAt: row.createdAt,
  deliveredAt: row.deliveredAt ?? null,
});

/**
 * Retention time of ended deliveries, counted from their creation. The API shows only the last 50
 * of a webhook; older ones serve support requests.
 */
const RETENTION_DAYS = 30;

export const sweepDeliveries = (database: Database): Promise<number> =>
  sweepRows(database, {
    table: 'delivery',
    key: 'id',
    since: 'created_at',
    retentionDays: RETENTION_DAYS,
    where: `state <> 'pending'`,
  });
