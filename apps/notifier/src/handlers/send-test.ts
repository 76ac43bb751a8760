import type { DeliveryService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Deliveries } from '../domain/delivery/deliveries.ts';

/** Creates the handler of tests. A test runs to its end even if the call is cancelled. */
export const createSendTest =
  (deliveries: Deliveries): Handlers<typeof DeliveryService>['sendTest'] =>
  async ({ webhookId }, { workspaceId }) => {
    const { statusCode, error } = await deliveries.sendTest(workspaceId, webhookId);
    return { success: error === null, statusCode };
  };
