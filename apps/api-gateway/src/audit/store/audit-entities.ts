import { defineEntity, p } from '@mikro-orm/core';

export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    action: p.string(),
    subject: p.string(),
    actor: p.string(),
    detail: p.string().nullable(),
    at: p.datetime(),
  },
});
