import type { DeliveryService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import { WEBHOOK_TEST_TIMEOUT_MS } from '../../http/call-timeout.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { DELIVERIES, DELIVERY, WEBHOOK_TEST_RESULT } from './webhook-schema.ts';
import { DELIVERY_ID, WEBHOOK_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';

type Deliveries = Client<typeof DeliveryService>;

const shared = { surface: 'native', tag: 'Webhooks' } as const;
const notFoundError = DOCUMENTED_ERROR.native('No such webhook in this workspace');

export const testWebhookRoute = (deliveries: Deliveries): Route => ({
  ...shared,
  id: 'testWebhook',
  method: 'post',
  path: '/v1/webhooks/{id}/test',
  summary: 'Send a webhook.test event now, also when it is paused; one attempt, logged',
  scopes: ['webhooks'],
  responses: {
    200: { description: 'How it went', schema: WEBHOOK_TEST_RESULT },
    404: notFoundError,
  },
  handle: async (call) => {
    const options = { ...optionsOf(call), timeoutMs: WEBHOOK_TEST_TIMEOUT_MS };
    const tested = await deliveries.sendTest(
      { webhookId: WEBHOOK_ID.read(call.params.id) },
      options,
    );
    return reply(200, WEBHOOK_TEST_RESULT, tested);
  },
});

export const deliveriesRoute = (deliveries: Deliveries): Route => ({
  ...shared,
  id: 'listDeliveries',
  method: 'get',
  path: '/v1/webhooks/{id}/deliveries',
  summary: 'The last 50 deliveries of a webhook, newest first',
  scopes: ['webhooks', 'webhooks:read'],
  responses: { 200: { description: 'The deliveries', schema: DELIVERIES }, 404: notFoundError },
  handle: async (call) => {
    const request = { webhookId: WEBHOOK_ID.read(call.params.id) };
    return reply(200, DELIVERIES, await deliveries.listDeliveries(request, optionsOf(call)));
  },
});

export const redeliverRoute = (deliveries: Deliveries): Route => ({
  ...shared,
  id: 'redeliver',
  method: 'post',
  path: '/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
  summary: 'Send an event again, as a delivery of its own with the whole schedule',
  scopes: ['webhooks'],
  idempotent: true,
  responses: {
    202: { description: 'The new delivery, which is under way', schema: DELIVERY },
    404: DOCUMENTED_ERROR.native('No such delivery of this webhook'),
  },
  handle: async (call) => {
    const request = {
      webhookId: WEBHOOK_ID.read(call.params.id),
      deliveryId: DELIVERY_ID.read(call.params.deliveryId),
    };
    return reply(202, DELIVERY, await deliveries.redeliver(request, optionsOf(call)));
  },
});
