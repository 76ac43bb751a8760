import { defineEntity, p } from '@mikro-orm/core';

export const ToolEntity = defineEntity({
  name: 'Tool',
  tableName: 'tool',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    name: p.text(),
    description: p.text(),
    parameters: p.text(),
    url: p.text(),
    isActive: p.boolean(),
    encryptedSecret: p.text().fieldName('sealed_secret'),
    createdAt: p.datetime(),
  },
});
