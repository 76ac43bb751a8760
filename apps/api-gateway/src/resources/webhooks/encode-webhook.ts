import type { Webhook } from '@witan/contracts';
import { encodeAs } from '../../http/encode.ts';
import { NO_STORE } from '../../http/route.ts';
import type { Reply } from '../../http/route.ts';
import { newSecretSchema, webhookSchema } from './webhook-schema.ts';

export const encodeWebhook = (webhook: Webhook) =>
  encodeAs(webhookSchema, webhook, { description: webhook.description ?? null });

export const toWebhookSecretReply = (
  status: 200 | 201,
  { webhook, secret }: { webhook?: Webhook; secret: string },
): Reply => {
  const description = webhook!.description ?? null;
  const encoded = encodeAs(newSecretSchema, { ...webhook!, secret }, { description });
  return { status, json: { webhook: encoded }, headers: NO_STORE };
};
