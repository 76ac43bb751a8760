import type { EntryKind } from '../ports.ts';
import { defineEntity, p } from '@mikro-orm/core';

export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    workspaceId: p.string().primary(),
    posted: p.bigint('number'),
    held: p.bigint('number'),
  },
});

/** Append-only double entry: the amount moves from `source` to `target`. */
export const EntryEntity = defineEntity({
  name: 'Entry',
  tableName: 'entry',
  properties: {
    workspaceId: p.string().primary(),
    seq: p.bigint('number').primary(),
    id: p.string(),
    kind: p.string().$type<EntryKind>(),
    amount: p.bigint('number'),
    source: p.string(),
    target: p.string(),
    certificateId: p.string().nullable(),
    reason: p.string().nullable(),
    createdAt: p.datetime(),
  },
});
