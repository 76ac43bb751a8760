import type { WebhookService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Webhooks } from '../webhooks.ts';
import { toWebhook } from './to-webhook.ts';

export const createGetWebhook =
  (webhooks: Webhooks): Handlers<typeof WebhookService>['getWebhook'] =>
  async ({ id }, { workspaceId }) => ({ webhook: toWebhook(await webhooks.get(workspaceId, id)) });
