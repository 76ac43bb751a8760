import type { DeliveryService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Deliveries } from '../deliveries.ts';
import { toDelivery } from './to-delivery.ts';

export const createListDeliveries =
  (deliveries: Deliveries): Handlers<typeof DeliveryService>['listDeliveries'] =>
  async ({ webhookId }, { workspaceId }) => ({
    deliveries: (await deliveries.list(workspaceId, webhookId)).map(toDelivery),
  });
