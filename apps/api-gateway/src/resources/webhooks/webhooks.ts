import type { DeliveryService, WebhookService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { WEBHOOK_TEST_TIMEOUT_MS } from '../../http/route.ts';
import type { Route } from '../../http/route.ts';
import { PAGE_QUERY } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { DELIVERY_ID, WEBHOOK_ID } from '../resource-id.ts';
import { createAudited, membersOf, runAudited } from '../run-audited.ts';
import { WEBHOOK_EVENT_CATALOGUE, WEBHOOK_EVENTS } from './webhook-events.ts';
import {
  DELIVERIES,
  DELIVERY,
  NEW_WEBHOOK,
  WEBHOOK,
  WEBHOOK_CHANGE,
  WEBHOOK_TEST_RESULT,
  WEBHOOK_WITH_SECRET,
  WEBHOOKS,
} from './webhook-schema.ts';

type Webhooks = Client<typeof WebhookService>;

const { create, list, get, act, change, replace, remove } = nativeRoutes('Webhooks', 'webhooks');

const PATH = '/v1/webhooks/{id}';

export const webhookRoutes = (
  webhooks: Webhooks,
  deliveries: Client<typeof DeliveryService>,
  recordAudit: RecordAudit,
): Route[] => [
  createWebhookRoute(webhooks, recordAudit),
  list('/v1/webhooks', {
    id: 'listWebhooks',
    summary: "List the workspace's webhooks, newest first; never their secrets",
    query: { ...PAGE_QUERY, cursor: { type: 'string' } },
    returns: 'The webhooks',
    schema: WEBHOOKS,
    cursorId: WEBHOOK_ID,
    run: ({ page, options }) => webhooks.listWebhooks(page, options),
  }),
  get(PATH, {
    id: 'getWebhook',
    summary: 'One webhook; of its secret only the last four characters',
    ids: { id: WEBHOOK_ID },
    returns: 'The webhook',
    schema: WEBHOOK,
    run: ({ ids, options }) => webhooks.getWebhook(ids, options),
  }),
  updateWebhookRoute(webhooks, { id: 'updateWebhook', define: change, recordAudit }),
  updateWebhookRoute(webhooks, { id: 'putWebhook', define: replace, recordAudit }),
  remove(PATH, {
    id: 'deleteWebhook',
    summary: 'Delete a webhook and the history of its deliveries',
    ids: { id: WEBHOOK_ID },
    run: ({ call, ids }) =>
      runAudited(call, { action: 'webhook.deleted', subject: ids.id, recordAudit }, (options) =>
        webhooks.deleteWebhook(ids, options),
      ),
  }),
  act('/v1/webhooks/{id}/rotate-secret', {
    id: 'rotateWebhookSecret',
    summary: 'Replace the secret; for 24 h the old one signs too, in webhook-signature only',
    ids: { id: WEBHOOK_ID },
    idempotent: true,
    returns: 'The webhook with its new secret',
    returnsHeaders: { 'cache-control': 'no-store' },
    schema: WEBHOOK_WITH_SECRET,
    run: async ({ call, ids }) => {
      const entry = { action: 'webhook.rotated', subject: ids.id, recordAudit } as const;
      return withSecret(
        await runAudited(call, entry, (options) => webhooks.rotateSecret(ids, options)),
      );
    },
  }),
  ...deliveryRoutes(deliveries),
  get('/v1/webhook-events', {
    id: 'listWebhookEvents',
    summary: 'The events that a webhook may be subscribed to, with JSON Schemas and examples',
    returns: 'The catalogue',
    schema: WEBHOOK_EVENT_CATALOGUE,
    run: async () => ({ events: WEBHOOK_EVENTS }),
  }),
];

/**
 * Returns a PATCH or PUT route that changes a webhook. Members absent in the body stay unchanged.
 */
const updateWebhookRoute = (
  webhooks: Webhooks,
  { id, define, recordAudit }: { id: string; define: typeof change; recordAudit: RecordAudit },
): Route =>
  define(PATH, {
    id,
    summary: 'Change, pause or resume a webhook; what is absent stays',
    ids: { id: WEBHOOK_ID },
    body: WEBHOOK_CHANGE,
    returns: 'The webhook as it is now',
    schema: WEBHOOK,
    errors: { 400: 'An event is unknown, or the URL is blocked (blocked_address)' },
    run: ({ call, ids, body }) => {
      const { url, events, description, isActive, retrySchedule } = body;
      const names = events && { names: events };
      const text = description === null ? '' : description;
      const members = { url, events: names, description: text, isActive, retrySchedule };
      const detail = membersOf(body, WEBHOOK_CHANGE);
      const entry = { action: 'webhook.changed', subject: ids.id, detail, recordAudit } as const;
      return runAudited(call, entry, (options) =>
        webhooks.updateWebhook({ ...ids, ...members }, options),
      );
    },
  });

const withSecret = <W extends object>({ webhook, secret }: { webhook?: W; secret: string }) => ({
  webhook: { ...webhook!, secret },
});

const createWebhookRoute = (webhooks: Webhooks, recordAudit: RecordAudit): Route =>
  create('/v1/webhooks', {
    id: 'createWebhook',
    summary: 'Have events posted to an https endpoint; its secret is shown once',
    body: NEW_WEBHOOK,
    returns: 'The webhook with its secret',
    returnsHeaders: { 'cache-control': 'no-store' },
    schema: WEBHOOK_WITH_SECRET,
    errors: {
      400: 'An event is unknown, or the URL is blocked (blocked_address)',
      409:
        'The workspace has 50 webhooks, or a call with this Idempotency-Key runs or lost its ' +
        'answer',
    },
    run: async ({ call, body: { url, events, description, retrySchedule } }) => {
      const draft = { url, events, description: description ?? undefined, retrySchedule };
      const created = await createAudited(
        call,
        { action: 'webhook.created', recordAudit },
        (options) => webhooks.createWebhook(draft, options),
        ({ webhook }) => webhook!.id,
      );
      return withSecret(created);
    },
  });

const deliveryRoutes = (deliveries: Client<typeof DeliveryService>): Route[] => [
  act('/v1/webhooks/{id}/test', {
    id: 'testWebhook',
    summary: 'Send a webhook.test event now, also when it is paused; one attempt, logged',
    ids: { id: WEBHOOK_ID },
    returns: 'How it went',
    schema: WEBHOOK_TEST_RESULT,
    run: ({ ids, options }) =>
      deliveries.sendTest(
        { webhookId: ids.id },
        { ...options, timeoutMs: WEBHOOK_TEST_TIMEOUT_MS },
      ),
  }),
  get('/v1/webhooks/{id}/deliveries', {
    id: 'listDeliveries',
    summary: 'The last 50 deliveries of a webhook, newest first',
    ids: { id: WEBHOOK_ID },
    returns: 'The deliveries',
    schema: DELIVERIES,
    run: ({ ids, options }) => deliveries.listDeliveries({ webhookId: ids.id }, options),
  }),
  create('/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
    id: 'redeliver',
    summary: 'Send an event again, as a delivery of its own with the whole schedule',
    ids: { id: WEBHOOK_ID, deliveryId: DELIVERY_ID },
    status: 202,
    returns: 'The new delivery, which is under way',
    schema: DELIVERY,
    run: ({ ids, options }) =>
      deliveries.redeliver({ webhookId: ids.id, deliveryId: ids.deliveryId }, options),
  }),
];
