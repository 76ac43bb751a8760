import { defineEntity, p } from '@mikro-orm/core';
import type { EventName } from '@witan/contracts';
import type { AttemptFailure, DeliveryState } from '../domain/delivery/delivery.ts';

/** An endpoint; its secrets are sealed to this row. */
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
    /** Signs beside the other one until `previousUntil`. */
    previousSealedSecret: p.text().nullable(),
    previousUntil: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** One event on its way to one webhook. */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    webhookId: p.string(),
    /** Null for tests and what is sent again by hand. */
    eventId: p.string().nullable(),
    event: p.string(),
    body: p.text(),
    state: p.string().$type<DeliveryState>(),
    attempts: p.integer(),
    statusCode: p.integer(),
    error: p.string().$type<AttemptFailure>().nullable(),
    /** When it may be claimed: for an attempt, or because a lease ended. Null: never again. */
    dueAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    deliveredAt: p.datetime().nullable(),
  },
});
