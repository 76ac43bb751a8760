import type { WebhookService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Webhooks } from '../webhooks.ts';
import { toWebhook } from './to-webhook.ts';

export const createListWebhooks =
  (webhooks: Webhooks): Handlers<typeof WebhookService>['listWebhooks'] =>
  async (page, { workspaceId }) => {
    const { items, nextCursor } = await webhooks.list(workspaceId, page);
    return { webhooks: items.map(toWebhook), nextCursor };
  };
