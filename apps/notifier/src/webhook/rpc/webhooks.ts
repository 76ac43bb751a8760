import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { WebhookSchema } from '@witan/contracts';
import type { WebhookService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Webhook } from '../webhook.ts';
import type { Webhooks } from '../webhooks.ts';

export const createWebhookHandlers = (webhooks: Webhooks): Handlers<typeof WebhookService> => ({
  createWebhook: async ({ url, events, description, retrySchedule }, { workspaceId }) => {
    const draft = { url, events, description, retrySchedule };
    const created = await webhooks.create(workspaceId, draft);
    return { webhook: toWebhook(created), secret: created.secret };
  },
  listWebhooks: async (page, { workspaceId }) => {
    const { items, nextCursor } = await webhooks.list(workspaceId, page);
    return { webhooks: items.map(toWebhook), nextCursor };
  },
  getWebhook: async ({ id }, { workspaceId }) => ({
    webhook: toWebhook(await webhooks.get(workspaceId, id)),
  }),
  updateWebhook: async ({ id, events, ...change }, { workspaceId }) => {
    const { url, description, isActive, retrySchedule } = change;
    const requestedChange = { url, events: events?.names, description, isActive, retrySchedule };
    return { webhook: toWebhook(await webhooks.update(workspaceId, id, requestedChange)) };
  },
  deleteWebhook: async ({ id }, { workspaceId }) => {
    await webhooks.remove(workspaceId, id);
    return {};
  },
  rotateSecret: async ({ id }, { workspaceId }) => {
    const webhook = await webhooks.rotateSecret(workspaceId, id);
    return { webhook: toWebhook(webhook), secret: webhook.secret };
  },
});

const toWebhook = (webhook: Webhook): MessageInitShape<typeof WebhookSchema> => ({
  id: webhook.id,
  url: webhook.url,
  events: [...webhook.events],
  description: webhook.description ?? undefined,
  isActive: webhook.isActive,
  createdAt: timestampFromDate(webhook.createdAt),
  secretPreview: webhook.secretPreview,
  retrySchedule: webhook.retrySchedule,
  disabledReason: webhook.disabled?.reason,
  disabledAt: webhook.disabled ? timestampFromDate(webhook.disabled.at) : undefined,
});
