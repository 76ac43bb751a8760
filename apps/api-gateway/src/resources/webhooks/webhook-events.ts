import type { JsonSchema, Route } from '../../http/route.ts';
import { WEBHOOK_EVENT_CATALOGUE, WEBHOOK_EVENTS } from './webhook-event-schema.ts';

export const webhookEventsRoute = (): Route => ({
  id: 'listWebhookEvents',
  method: 'get',
  path: '/v1/webhook-events',
  surface: 'native',
  tag: 'Webhooks',
  summary: 'The events that a webhook may be subscribed to, with JSON Schemas and examples',
  scopes: ['webhooks', 'webhooks:read'],
  responses: { 200: { description: 'The catalogue', schema: WEBHOOK_EVENT_CATALOGUE } },
  handle: async () => ({ status: 200, json: { events: WEBHOOK_EVENTS } }),
});

const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({
  description,
  schema,
});

export const describeDeliveries = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    WEBHOOK_EVENTS.map(({ name, description, schema, example }) => [
      name,
      {
        post: {
          operationId: `on.${name}`,
          summary: description,
          tags: ['Webhooks'],
          security: [],
          parameters: Object.entries(HEADERS).map(([field, headerDescription]) => ({
            name: field,
            in: 'header',
            required: true,
            ...headerDescription,
          })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema, example } },
          },
          responses: {
            '2XX': { description: 'Taken. Anything else, or 10 s without an end, is a failure' },
          },
        },
      },
    ]),
  );

const HEADERS: Readonly<Record<string, ReturnType<typeof header>>> = {
  'X-Service-Event': header('Name of the event'),
  'X-Service-Signature': header('HMAC-SHA256 of the raw body, keyed with the secret as shown', {
    type: 'string',
    pattern: '^sha256=[0-9a-f]{64}$',
  }),
  'X-Service-Delivery': header('A UUID of this attempt alone'),
  'webhook-id': header('Id of the delivery: the same in all of its attempts'),
  'webhook-timestamp': header('When it was sent, in seconds since the epoch'),
  'webhook-signature': header('As Standard Webhooks says; with two signatures after a rotation'),
};
