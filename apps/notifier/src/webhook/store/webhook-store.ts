import { defineEntity, p, raw } from '@mikro-orm/core';
import type { EventName, RetrySchedule } from '@witan/contracts';
import { lockUntilCommit, workspaceScope } from '@witan/service-kit';
import type { Database, SecretCipher, Transaction } from '@witan/service-kit';
import type {
  DisabledReason,
  ReplaceSecret,
  Webhook,
  WebhookChange,
  WebhookStore,
} from '../webhook.ts';
import { encryptSecret } from './encrypted-secret.ts';

export const WebhookEntity = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    url: p.text(),
    events: p.array<EventName>(),
    description: p.text().nullable(),
    isActive: p.boolean(),
    sealedSecret: p.text(),
    secretPreview: p.string(),
    previousSealedSecret: p.text().nullable(),
    previousUntil: p.datetime().nullable(),
    retrySchedule: p.string().$type<RetrySchedule>(),
    endpointVersion: p.integer(),
    disabledReason: p.string().$type<DisabledReason>().nullable(),
    disabledAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** Creates the webhook store, which encrypts secrets but never decrypts them. */
export const createWebhookStore = (
  database: Database,
  secretCipher: SecretCipher,
): WebhookStore => ({
  insert: (workspaceId, { secret, disabled: _none, ...webhook }, max) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      // Serializes concurrent inserts in a workspace, so that together they cannot exceed `max`.
      await lockUntilCommit(em, `webhooks of ${workspaceId}`);
      if ((await em.count(WebhookEntity, { workspaceId })) >= max) return false;
      const sealedSecret = encryptSecret(secretCipher, secret, {
        workspaceId,
        webhookId: webhook.id,
      });
      await em.insert(WebhookEntity, {
        ...webhook,
        events: [...webhook.events],
        workspaceId,
        sealedSecret,
        endpointVersion: 1,
      });
      return true;
    }),
  list: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const where = { workspaceId, ...(after === undefined ? {} : { id: { $lt: after } }) };
      const rows = await em.find(WebhookEntity, where, { orderBy: { id: 'desc' }, limit });
      return rows.map(toWebhook);
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const row = await em.findOne(WebhookEntity, { workspaceId, id });
      return row ? toWebhook(row) : undefined;
    }),
  update: (workspaceId, id, change) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const data = toColumns(change);
      if (Object.keys(data).length > 0) {
        await em.nativeUpdate(WebhookEntity, { workspaceId, id }, data);
      }
      const row = await em.findOne(WebhookEntity, { workspaceId, id });
      // Wakes the delivery workers, because deliveries that waited while the webhook was paused may
      // be due.
      if (row?.isActive) await notifyDue(em);
      return row ? toWebhook(row) : undefined;
    }),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(LOCK_WEBHOOK, [id]);
      await em.execute(LOCK_LEASED_DELIVERIES, [id]);
      const deleted = await em.nativeDelete(WebhookEntity, { workspaceId, id });
      return deleted > 0;
    }),
});

const toColumns = ({ events, ...change }: WebhookChange) => ({
  ...change,
  ...(events && { events: [...events] }),
  ...((change.isActive || change.url !== undefined) && {
    endpointVersion: raw('endpoint_version + 1'),
  }),
  // Also when an active webhook is paused: the previous release does not clear them.
  ...(change.isActive !== undefined && {
    disabledReason: raw('CASE WHEN ? OR is_active THEN NULL ELSE disabled_reason END', [
      change.isActive,
    ]),
    disabledAt: raw('CASE WHEN ? OR is_active THEN NULL ELSE disabled_at END', [change.isActive]),
  }),
});

const LOCK_WEBHOOK = 'SELECT 1 FROM webhook WHERE id = ? FOR UPDATE';
/**
 * Locks leased deliveries in the order of their ids, as claims and settlements do, to avoid
 * deadlocks.
 */
const LOCK_LEASED_DELIVERIES = `
  SELECT 1 FROM delivery WHERE webhook_id = ? AND lease IS NOT NULL ORDER BY id FOR UPDATE`;

export const createReplaceSecret =
  (database: Database, secretCipher: SecretCipher): ReplaceSecret =>
  (workspaceId, id, { text, preview, previousForMs }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.nativeUpdate(
        WebhookEntity,
        { workspaceId, id },
        {
          previousSealedSecret: raw('sealed_secret'),
          previousUntil: raw(`now() + ? * interval '1 millisecond'`, [previousForMs]),
          sealedSecret: encryptSecret(secretCipher, text, { workspaceId, webhookId: id }),
          secretPreview: preview,
        },
      );
      const row = await em.findOne(WebhookEntity, { workspaceId, id });
      return row ? toWebhook(row) : undefined;
    });

type WebhookRow = Pick<
  Webhook,
  'id' | 'url' | 'events' | 'isActive' | 'retrySchedule' | 'secretPreview' | 'createdAt'
> & {
  description?: string | null;
  disabledReason?: DisabledReason | null;
  disabledAt?: Date | null;
};

const toWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  events: row.events,
  description: row.description ?? null,
  isActive: row.isActive,
  retrySchedule: row.retrySchedule,
  disabled:
    !row.isActive && row.disabledReason && row.disabledAt
      ? { reason: row.disabledReason, at: row.disabledAt }
      : null,
  createdAt: row.createdAt,
  secretPreview: row.secretPreview,
});

/**
 * Name of the notification channel as an SQL literal. It names the service, because all services in
 * the database share channels.
 */
export const DUE_CHANNEL_SQL = `'notifier_due'`;

/** Notifies the delivery workers of all replicas when the transaction commits. */
export const notifyDue = async (em: Transaction): Promise<void> => {
  await em.execute(`SELECT pg_notify(${DUE_CHANNEL_SQL}, '')`);
};
