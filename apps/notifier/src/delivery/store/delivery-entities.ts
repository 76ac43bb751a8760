import { defineEntity, p } from '@mikro-orm/core';
import type { AttemptFailure, DeliveryState } from '../delivery.ts';

export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    webhookId: p.string(),
    eventId: p.string().nullable(),
    event: p.string(),
    body: p.text(),
    state: p.string().$type<DeliveryState>(),
    attempts: p.integer(),
    statusCode: p.integer(),
    error: p.string().$type<AttemptFailure>().nullable(),
    /**
     * Time of the next attempt or, while an attempt runs, of the expiry of its lease; null once the
     * delivery has succeeded or failed.
     */
    dueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    deliveredAt: p.datetime().nullable(),
  },
});
