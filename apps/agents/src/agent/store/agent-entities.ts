import { defineEntity, p } from '@mikro-orm/core';

export const AgentEntity = defineEntity({
  name: 'Agent',
  tableName: 'agent',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    name: p.text(),
    slug: p.text(),
    role: p.text(),
    systemPrompt: p.text(),
    personality: p.text(),
    mission: p.text(),
    decisionStyle: p.text(),
    model: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
