import type { WebhookService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Webhooks } from '../webhooks.ts';
import { toWebhook } from './to-webhook.ts';

export const createRotateSecret =
  (webhooks: Webhooks): Handlers<typeof WebhookService>['rotateSecret'] =>
  async ({ id }, { workspaceId }) => {
    const webhook = await webhooks.rotateSecret(workspaceId, id);
    return { webhook: toWebhook(webhook), secret: webhook.secret };
  };
