import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { Delivery, Webhook } from '@witan/contracts';
import type { Reply, RouteCall } from '../http/route.ts';

/** No cache on the way may keep an answer that holds a secret. */
const NO_STORE = { 'cache-control': 'no-store' } as const;

const shownOf = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  description: webhook.description ?? null,
  isActive: webhook.isActive,
  createdAt: timestampDate(webhook.createdAt!).toISOString(),
});

/** A webhook as the API shows it. */
export const encodeWebhook = (webhook: Webhook) => ({
  ...shownOf(webhook),
  secretPreview: webhook.secretPreview,
});

/** The one answer that holds a secret. */
export const toSecretReply = (
  status: 200 | 201,
  { webhook, secret }: { webhook?: Webhook; secret: string },
): Reply => ({
  status,
  json: { webhook: { ...shownOf(webhook!), secret } },
  headers: NO_STORE,
});

/** A delivery as the API shows it. */
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

/** True for what may be the id of a webhook. */
export const isWebhookId = (text: string): boolean => WEBHOOK_ID.test(text);

/** What cannot be the id of a webhook is one that nobody has. */
export const readWebhookId = ({ params }: RouteCall): string => {
  if (isWebhookId(params.id!)) return params.id!;
  throw notFound('There is no such webhook in this workspace.');
};

/** The same for a delivery. */
export const readDeliveryId = ({ params }: RouteCall): string => {
  if (DELIVERY_ID.test(params.deliveryId!)) return params.deliveryId!;
  throw notFound('There is no such delivery of this webhook.');
};
