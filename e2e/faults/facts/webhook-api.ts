import { openClient } from '../client.ts';
import type { ClientOf } from '../client.ts';

export type WebhookApi = {
  create: (url: string) => Promise<{ id: string; secret: string }>;
  remove: (id: string) => Promise<void>;
};

export const openWebhookApi = (system: ClientOf): WebhookApi => {
  const { read } = openClient(system);
  return {
    create: async (url) => {
      const body = { url, events: ['simulation.tick.completed'] };
      type CreatedWebhook = { webhook: { id: string; secret: string } };
      const { webhook } = await read<CreatedWebhook>('POST', '/webhooks', body);
      return webhook;
    },
    remove: (id) => read('DELETE', `/webhooks/${id}`),
  };
};
