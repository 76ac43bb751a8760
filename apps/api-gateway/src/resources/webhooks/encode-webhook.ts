import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { Delivery, Webhook } from '@witan/contracts';
import type { Reply, RouteCall } from '../../http/route.ts';

// Forbids caches to store the response, because it contains a secret.
const NO_STORE = { 'cache-control': 'no-store' } as const;

const encodeFields = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  description: webhook.description ?? null,
  isActive: webhook.isActive,
  createdAt: timestampDate(webhook.createdAt!).toISOString(),
});

export const encodeWebhook = (webhook: Webhook) => ({
  ...encodeFields(webhook),
  secretPreview: webhook.secretPreview,
});

export const toSecretReply = (
  status: 200 | 201,
  { webhook, secret }: { webhook?: Webhook; secret: string },
): Reply => ({
  status,
  json: { webhook: { ...encodeFields(webhook!), secret } },
  headers: NO_STORE,
});

export const encodeDelivery = (delivery: Delivery) => ({
  id: delivery.id,
  event: delivery.event,
  statusCode: delivery.statusCode,
  success: delivery.success,
  retryCount: delivery.retryCount,
  deliveredAt: delivery.deliveredAt ? timestampDate(delivery.deliveredAt).toISOString() : null,
  createdAt: timestampDate(delivery.createdAt!).toISOString(),
  error: delivery.error || null,
});

const WEBHOOK_ID = /^whk_[0-9A-Za-z]{1,64}$/;
const DELIVERY_ID = /^dlv_[0-9A-Za-z]{1,64}$/;

export const isWebhookId = (text: string): boolean => WEBHOOK_ID.test(text);

export const readWebhookId = ({ params }: RouteCall): string => {
  if (isWebhookId(params.id!)) return params.id!;
  throw notFound('There is no such webhook in this workspace.');
};

export const readDeliveryId = ({ params }: RouteCall): string => {
  if (DELIVERY_ID.test(params.deliveryId!)) return params.deliveryId!;
  throw notFound('There is no such delivery of this webhook.');
};
