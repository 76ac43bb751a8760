import { defineEntity, p } from '@mikro-orm/core';
import type { EventName } from '@witan/contracts';

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
