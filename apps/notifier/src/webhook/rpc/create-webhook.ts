import type { WebhookService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Webhooks } from '../webhooks.ts';
import { toWebhook } from './to-webhook.ts';

export const createCreateWebhook =
  (webhooks: Webhooks): Handlers<typeof WebhookService>['createWebhook'] =>
  async ({ url, events, description }, { workspaceId }) => {
    const created = await webhooks.create(workspaceId, { url, events, description });
    return { webhook: toWebhook(created), secret: created.secret };
  };
