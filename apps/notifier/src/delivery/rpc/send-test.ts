import type { DeliveryService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Deliveries } from '../deliveries.ts';

/**
 * Creates the handler that sends a test event. It does not pass on the call's signal, so a
 * cancelled call does not abort the test.
 */
export const createSendTest =
  (deliveries: Deliveries): Handlers<typeof DeliveryService>['sendTest'] =>
  async ({ webhookId }, { workspaceId }) => {
    const { statusCode, error } = await deliveries.sendTest(workspaceId, webhookId);
    return { success: error === null, statusCode };
  };
