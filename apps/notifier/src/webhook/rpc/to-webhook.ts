import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { WebhookSchema } from '@witan/contracts';
import type { Webhook } from '../webhook.ts';

export const toWebhook = (webhook: Webhook): MessageInitShape<typeof WebhookSchema> => ({
  id: webhook.id,
  url: webhook.url,
  events: [...webhook.events],
  description: webhook.description ?? undefined,
  isActive: webhook.isActive,
  createdAt: timestampFromDate(webhook.createdAt),
  secretPreview: webhook.secretPreview,
});
