import type { WebhookService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { encodeWebhook, toWebhookSecretReply } from './encode-webhook.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { NEW_WEBHOOK, WEBHOOK_WITH_SECRET, WEBHOOKS } from './webhook-schema.ts';
import { WEBHOOK_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';
import { readPage } from '../list-page.ts';

type Webhooks = Client<typeof WebhookService>;

const LIST_MAX = 500;

const shared = { path: '/v1/webhooks', surface: 'native', tag: 'Webhooks' } as const;

export const createWebhookRoute = (webhooks: Webhooks, recordAudit: RecordAudit): Route => ({
  ...shared,
  id: 'createWebhook',
  method: 'post',
  summary: 'Have events posted to an https endpoint; its secret is shown once',
  scopes: ['webhooks'],
  body: NEW_WEBHOOK,
  idempotent: true,
  responses: {
    201: {
      description: 'The webhook with its secret',
      schema: WEBHOOK_WITH_SECRET,
      headers: { 'cache-control': 'no-store' },
    },
    400: DOCUMENTED_ERROR.native('An event is unknown, or the URL is blocked (blocked_address)'),
    409: DOCUMENTED_ERROR.native(
      'The workspace has 50 webhooks, or a call with this Idempotency-Key runs or lost its answer',
    ),
  },
  handle: async (call) => {
    const { url, events, description } = call.body as Static<typeof NEW_WEBHOOK>;
    const draft = { url, events, description: description ?? undefined };
    // No signal is passed, so that creation and audit complete even if the client disconnects.
    const created = await webhooks.createWebhook(draft, { ...optionsOf(call), signal: undefined });
    const { workspaceId, keyId: actor } = call.principal!;
    const subject = created.webhook!.id;
    await recordAudit([{ workspaceId, action: 'webhook.created', subject, actor }]);
    return toWebhookSecretReply(201, created);
  },
});

export const webhooksRoute = (webhooks: Webhooks): Route => ({
  ...shared,
  id: 'listWebhooks',
  method: 'get',
  summary: "List the workspace's webhooks, newest first; never their secrets",
  scopes: ['webhooks', 'webhooks:read'],
  query: {
    limit: { type: 'integer', minimum: 1, maximum: LIST_MAX },
    cursor: { type: 'string' },
  },
  responses: {
    200: { description: 'The webhooks', schema: WEBHOOKS },
  },
  handle: async (call) => {
    const page = await webhooks.listWebhooks(readPage(call, WEBHOOK_ID.is), optionsOf(call));
    const nextPage = page.nextCursor ? { nextCursor: page.nextCursor } : {};
    return { status: 200, json: { webhooks: page.webhooks.map(encodeWebhook), ...nextPage } };
  },
});
