import { newId } from '@witan/service-kit';
import { createTestDatabase, eventually, openReceiver } from '@witan/testing';
import type { ReceivedRequest, Receiver } from '@witan/testing';
import { Client } from 'pg';
import { eventOf, openNotifier, optionsFor } from './open-notifier.ts';
import type { TestNotifier } from './open-notifier.ts';

const DEBATE = 'debate.synthesized';

export type TestWebhook = { workspaceId: string; path: string; id: string };

export type DeliveryRow = { state: string; attempts: number; status_code: number; dueInS: number };

/** A notifier, a receiver, and access to the rows of deliveries, so that tests need not wait. */
export type WebhookFixture = AsyncDisposable & {
  readonly notifier: TestNotifier;
  receiver: Receiver;
  /** Replaces the notifier by a new one on the same database. */
  restart: () => Promise<void>;
  subscribe: (draft?: { retrySchedule?: string }) => Promise<TestWebhook>;
  update: (webhook: TestWebhook, change: object) => Promise<unknown>;
  emit: (webhook: TestWebhook) => Promise<void>;
  awaitRequests: (webhook: { path: string }, count: number) => Promise<ReceivedRequest[]>;
  /** Resolves with the rows of the webhook's deliveries, oldest first, once all of them match. */
  awaitRows: (
    webhook: TestWebhook,
    matches: (row: DeliveryRow) => boolean,
  ) => Promise<DeliveryRow[]>;
  /** Makes all pending deliveries of the webhook due, as if their delay had passed. */
  makeDue: (webhook: TestWebhook) => Promise<void>;
};

export const openWebhookFixture = async (
  options: Parameters<typeof openNotifier>[1] = {},
): Promise<WebhookFixture> => {
  const database = await createTestDatabase(['notifier']);
  const receiver = await openReceiver();
  const open = () => openNotifier(database.urls.notifier!, options);
  let notifier = await open();
  const admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  return {
    get notifier() {
      return notifier;
    },
    receiver,
    restart: async () => {
      await notifier[Symbol.asyncDispose]();
      notifier = await open();
    },
    subscribe: async (draft = {}) => {
      const workspaceId = newId('ws');
      const path = `/${newId('hook')}`;
      const request = { url: receiver.urlOf(path), events: [DEBATE], ...draft };
      const created = await notifier.webhooks.createWebhook(request, optionsFor(workspaceId));
      return { workspaceId, path, id: created.webhook!.id };
    },
    update: ({ id, workspaceId }, change) =>
      notifier.webhooks.updateWebhook({ id, ...change }, optionsFor(workspaceId)),
    emit: ({ workspaceId }) =>
      notifier.onEvent(eventOf(workspaceId, DEBATE, { conversationId: 'cnv_1', synthesis: '' })),
    awaitRequests: ({ path }, count) =>
      eventually(() => {
        const requests = receiver.requestsOf(path);
        return requests.length >= count && requests;
      }, `${count} requests`),
    awaitRows: ({ id }, matches) =>
      eventually(async () => {
        const { rows } = await admin.query<DeliveryRow>(ROWS, [id]);
        return rows.length > 0 && rows.every(matches) && rows;
      }, 'matching deliveries'),
    makeDue: async ({ id }) => {
      await admin.query(MAKE_DUE, [id]);
      await admin.query(`SELECT pg_notify('notifier_due', '')`);
    },
    [Symbol.asyncDispose]: async () => {
      await notifier[Symbol.asyncDispose]();
      await admin.end();
      await receiver[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

const ROWS = `
  SELECT state, attempts, status_code, extract(epoch FROM due_at - now())::float AS "dueInS"
  FROM notifier.delivery WHERE webhook_id = $1 ORDER BY created_at, id`;
const MAKE_DUE = `
  UPDATE notifier.delivery SET due_at = now()
  WHERE webhook_id = $1 AND state = 'pending' AND lease IS NULL`;
