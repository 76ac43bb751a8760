import type { Client } from '../client.ts';
import { checkNothing } from './flow.ts';
import type { Flow } from './flow.ts';

/**
 * Opens a flow that sends test events to a webhook at `url`. A call succeeds if the event is
 * delivered at its only attempt.
 */
export const openDeliveryFlow = async (client: Client, url: string): Promise<Flow> => {
  const hook = { url, events: ['webhook.test'] };
  const { webhook } = await client.read<{ webhook: { id: string } }>('POST', '/webhooks', hook);
  return {
    name: 'delivery',
    call: async () => {
      const { status, text } = await client.send('POST', `/webhooks/${webhook.id}/test`);
      return status === 200 && isDelivered(text) ? '' : `${status} ${text}`;
    },
    check: checkNothing,
  };
};

const isDelivered = (text: string): boolean => (JSON.parse(text) as { success: boolean }).success;
