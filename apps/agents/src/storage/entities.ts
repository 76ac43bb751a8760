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

export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    agentId: p.string(),
    title: p.text(),
    /** Summary of the messages up to position `summaryUntil`; empty if none has been written. */
    summary: p.text(),
    summaryUntil: p.bigint('number'),
    messageCount: p.integer(),
    bytes: p.bigint('number'),
    createdAt: p.datetime(),
    activeAt: p.datetime(),
    isLocalOnly: p.boolean().fieldName('local_only'),
  },
});

export const MessageEntity = defineEntity({
  name: 'Message',
  tableName: 'message',
  properties: {
    id: p.string().primary(),
    position: p.bigint('number'),
    workspaceId: p.string(),
    sessionId: p.string(),
    senderType: p.string().$type<'user' | 'agent'>(),
    agentName: p.text(),
    content: p.text(),
    proofIds: p.array(),
    createdAt: p.datetime(),
  },
});

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
