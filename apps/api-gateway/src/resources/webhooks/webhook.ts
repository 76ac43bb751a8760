import type { WebhookService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { runAudited } from '../run-audited.ts';
import { encodeWebhook, toWebhookSecretReply } from './encode-webhook.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { WEBHOOK, WEBHOOK_CHANGE, WEBHOOK_WITH_SECRET } from './webhook-schema.ts';
import { WEBHOOK_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';

type Webhooks = Client<typeof WebhookService>;

const shared = {
  path: '/v1/webhooks/{id}',
  surface: 'native',
  tag: 'Webhooks',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such webhook in this workspace');

export const webhookRoute = (webhooks: Webhooks): Route => ({
  ...shared,
  id: 'getWebhook',
  method: 'get',
  summary: 'One webhook; of its secret only the last four characters',
  scopes: ['webhooks', 'webhooks:read'],
  responses: { 200: { description: 'The webhook', schema: WEBHOOK }, 404: notFoundError },
  handle: async (call) => {
    const { webhook } = await webhooks.getWebhook(
      { id: WEBHOOK_ID.read(call.params.id) },
      optionsOf(call),
    );
    return { status: 200, json: { webhook: encodeWebhook(webhook!) } };
  },
});

export const updateWebhookRoutes = (webhooks: Webhooks): Route[] =>
  (['patch', 'put'] as const).map((method) => ({
    ...shared,
    id: method === 'patch' ? 'updateWebhook' : 'putWebhook',
    method,
    summary: 'Change, pause or resume a webhook; what is absent stays',
    scopes: ['webhooks'],
    body: WEBHOOK_CHANGE,
    responses: {
      200: { description: 'The webhook as it is now', schema: WEBHOOK },
      400: DOCUMENTED_ERROR.native('An event is unknown, or the URL is blocked (blocked_address)'),
      404: notFoundError,
    },
    handle: async (call) => {
      const { url, events, description, isActive } = call.body as Static<typeof WEBHOOK_CHANGE>;
      const change = {
        id: WEBHOOK_ID.read(call.params.id),
        url,
        events: events && { names: events },
        description: description === null ? '' : description,
        isActive,
      };
      const { webhook } = await webhooks.updateWebhook(change, optionsOf(call));
      return { status: 200, json: { webhook: encodeWebhook(webhook!) } };
    },
  }));

export const deleteWebhookRoute = (webhooks: Webhooks, recordAudit: RecordAudit): Route => ({
  ...shared,
  id: 'deleteWebhook',
  method: 'delete',
  summary: 'Delete a webhook and the history of its deliveries',
  scopes: ['webhooks'],
  responses: { 204: { description: 'It is gone' }, 404: notFoundError },
  handle: async (call) => {
    const id = WEBHOOK_ID.read(call.params.id);
    await runAudited(call, { action: 'webhook.deleted', subject: id, recordAudit }, (options) =>
      webhooks.deleteWebhook({ id }, options),
    );
    return { status: 204 };
  },
});

export const rotateWebhookSecretRoute = (webhooks: Webhooks, recordAudit: RecordAudit): Route => ({
  ...shared,
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/v1/webhooks/{id}/rotate-secret',
  summary: 'Replace the secret; for 24 h the old one signs too, in webhook-signature only',
  scopes: ['webhooks'],
  idempotent: true,
  responses: {
    200: {
      description: 'The webhook with its new secret',
      schema: WEBHOOK_WITH_SECRET,
      headers: { 'cache-control': 'no-store' },
    },
    404: notFoundError,
  },
  handle: async (call) => {
    const id = WEBHOOK_ID.read(call.params.id);
    const subject = { action: 'webhook.rotated', subject: id, recordAudit } as const;
    const created = await runAudited(call, subject, (options) =>
      webhooks.rotateSecret({ id }, options),
    );
    return toWebhookSecretReply(200, created);
  },
});
