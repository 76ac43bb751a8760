import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/api.ts';
import type { components } from '../../../gen/api.ts';

type Schemas = components['schemas'];
export type Webhook = Schemas['WebhookAnswer']['webhook'];
export type WebhookEvent = Webhook['events'][number];
export type RetrySchedule = Webhook['retrySchedule'];
export type Delivery = Schemas['ListDeliveriesAnswer']['deliveries'][number];
export type WebhookDraft = Schemas['CreateWebhookRequest'];

const pathOf = (id: string) => ({ params: { path: { id } } });

/** Key of all queries of webhooks. */
export const WEBHOOKS_KEY = ['webhooks'] as const;

/** All webhooks of the workspace, newest first. */
export const webhooksQuery = infiniteQueryOptions({
  queryKey: [...WEBHOOKS_KEY, 'list'],
  queryFn: ({ pageParam, signal }) =>
    dataOf(api.GET('/v1/webhooks', { params: { query: { cursor: pageParam } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, id],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/v1/webhooks/{id}', { ...pathOf(id), signal }))).webhook,
  });

/** The events that a webhook can get, with their descriptions. */
export const eventsQuery = queryOptions({
  queryKey: ['webhook-events'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/v1/webhook-events', { signal }))).events,
  staleTime: Infinity,
});

/** How often deliveries are loaded again while one of them has an attempt due. */
const REFRESH_MS = 2_000;

/** The last 50 deliveries, newest first. */
export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS_KEY, id, 'deliveries'],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/v1/webhooks/{id}/deliveries', { ...pathOf(id), signal }))).deliveries,
    refetchInterval: ({ state: { data = [] } }) =>
      data.some(({ state }) => state === 'pending') && REFRESH_MS,
  });

export const createWebhook = (body: WebhookDraft) => dataOf(api.POST('/v1/webhooks', { body }));

export const changeWebhook = (id: string, body: Schemas['WebhookChange']) =>
  dataOf(api.PATCH('/v1/webhooks/{id}', { ...pathOf(id), body }));

export const deleteWebhook = (id: string) => dataOf(api.DELETE('/v1/webhooks/{id}', pathOf(id)));

export const rotateSecret = (id: string) =>
  dataOf(api.POST('/v1/webhooks/{id}/rotate-secret', pathOf(id)));

export const testWebhook = (id: string) => dataOf(api.POST('/v1/webhooks/{id}/test', pathOf(id)));

export const redeliver = (id: string, deliveryId: string) =>
  dataOf(
    api.POST('/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
      params: { path: { id, deliveryId } },
    }),
  );
