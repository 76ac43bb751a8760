import type { WebhookService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Webhooks } from '../webhooks.ts';

export const createDeleteWebhook =
  (webhooks: Webhooks): Handlers<typeof WebhookService>['deleteWebhook'] =>
  async ({ id }, { workspaceId }) => {
    await webhooks.remove(workspaceId, id);
    return {};
  };
