import type { WebhookService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Webhooks } from '../webhooks.ts';
import { toWebhook } from './to-webhook.ts';

export const createListWebhooks =
  (webhooks: Webhooks): Handlers<typeof WebhookService>['listWebhooks'] =>
  async ({ limit, cursor }, { workspaceId }) => {
    const page = await webhooks.list(workspaceId, { limit, cursor });
    return { webhooks: page.webhooks.map(toWebhook), nextCursor: page.nextCursor };
  };
