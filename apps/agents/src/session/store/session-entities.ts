import { defineEntity, p } from '@mikro-orm/core';

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
