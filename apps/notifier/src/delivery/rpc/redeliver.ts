import type { DeliveryService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Deliveries } from '../deliveries.ts';
import { toDelivery } from './to-delivery.ts';

export const createRedeliver =
  (deliveries: Deliveries): Handlers<typeof DeliveryService>['redeliver'] =>
  async ({ webhookId, deliveryId }, { workspaceId }) => ({
    delivery: toDelivery(await deliveries.redeliver(workspaceId, webhookId, deliveryId)),
  });
