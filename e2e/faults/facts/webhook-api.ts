import type { SystemFile } from '@witan/stack';

/** Webhooks through the public API, as their owner uses it. */
export type WebhookApi = {
  create: (url: string) => Promise<{ id: string; secret: string }>;
  remove: (id: string) => Promise<void>;
};

/** For the workspace of the key. */
export const openWebhookApi = ({
  baseUrl,
  apiKey,
}: Pick<SystemFile, 'baseUrl' | 'apiKey'>): WebhookApi => {
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${baseUrl}/v1/webhooks${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /v1/webhooks${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  };
  return {
    create: async (url) => {
      const body = { url, events: ['simulation.tick.completed'] };
      const { webhook } = await call<{ webhook: { id: string; secret: string } }>('POST', '', body);
      return webhook;
    },
    remove: (id) => call('DELETE', `/${id}`),
  };
};
