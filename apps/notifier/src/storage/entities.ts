import { defineEntity, p } from '@mikro-orm/core';
import type { EventName } from '@witan/contracts';
import type { AttemptFailure, DeliveryState } from '../delivery/delivery.ts';

export const WebhookEntity = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    url: p.text(),
    events: p.array<EventName>(),
    description: p.text().nullable(),
    isActive: p.boolean(),
    sealedSecret: p.text(),
    secretPreview: p.string(),
    previousSealedSecret: p.text().nullable(),
    previousUntil: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

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
