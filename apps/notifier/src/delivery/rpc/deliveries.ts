import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { DeliverySchema } from '@witan/contracts';
import type { DeliveryService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Deliveries } from '../deliveries.ts';
import type { Delivery } from '../delivery.ts';

export const createDeliveryHandlers = (
  deliveries: Deliveries,
): Handlers<typeof DeliveryService> => ({
  listDeliveries: async ({ webhookId }, { workspaceId }) => ({
    deliveries: (await deliveries.list(workspaceId, webhookId)).map(toDelivery),
  }),
  redeliver: async ({ webhookId, deliveryId }, { workspaceId }) => ({
    delivery: toDelivery(await deliveries.redeliver(workspaceId, webhookId, deliveryId)),
  }),
  // Does not pass on the call's signal, so a cancelled call does not abort the test.
  sendTest: async ({ webhookId }, { workspaceId }) => {
    const { statusCode, error } = await deliveries.sendTest(workspaceId, webhookId);
    return { success: error === null, statusCode };
  },
});

const toDelivery = (delivery: Delivery): MessageInitShape<typeof DeliverySchema> => ({
  id: delivery.id,
  event: delivery.event,
  statusCode: delivery.statusCode,
  success: delivery.state === 'delivered',
  state: delivery.state,
  retryCount: Math.max(delivery.attempts - 1, 0),
  deliveredAt: delivery.deliveredAt ? timestampFromDate(delivery.deliveredAt) : undefined,
  createdAt: timestampFromDate(delivery.createdAt),
  error: delivery.error ?? '',
});
