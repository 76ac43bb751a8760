import type { WebhookService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Webhooks } from '../webhooks.ts';
import { toWebhook } from './to-webhook.ts';

export const createUpdateWebhook =
  (webhooks: Webhooks): Handlers<typeof WebhookService>['updateWebhook'] =>
  async ({ id, url, events, description, isActive }, { workspaceId }) => {
    const requestedChange = { url, events: events?.names, description, isActive };
    return { webhook: toWebhook(await webhooks.update(workspaceId, id, requestedChange)) };
  };
