import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { DeliverySchema } from '@witan/contracts';
import type { Delivery } from '../delivery.ts';

export const toDelivery = (delivery: Delivery): MessageInitShape<typeof DeliverySchema> => ({
  id: delivery.id,
  event: delivery.event,
  statusCode: delivery.statusCode,
  success: delivery.state === 'delivered',
  retryCount: Math.max(delivery.attempts - 1, 0),
  deliveredAt: delivery.deliveredAt ? timestampFromDate(delivery.deliveredAt) : undefined,
  createdAt: timestampFromDate(delivery.createdAt),
  error: delivery.error ?? '',
});
