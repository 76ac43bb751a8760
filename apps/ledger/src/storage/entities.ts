import { defineEntity, p } from '@mikro-orm/core';
import type { EntryKind } from '../domain/account/ports.ts';

/** The payload is canonical text; the database never parses it. */
export const CertificateEntity = defineEntity({
  name: 'Certificate',
  tableName: 'certificate',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    chainIndex: p.bigint('number'),
    payload: p.text(),
    payloadHash: p.string(),
    signature: p.string(),
    keyId: p.string(),
  },
});

/** Before the first certificate `chainIndex` is -1 and `hash` is the genesis hash. */
export const ChainHeadEntity = defineEntity({
  name: 'ChainHead',
  tableName: 'chain_head',
  properties: {
    workspaceId: p.string().primary(),
    chainIndex: p.bigint('number'),
    hash: p.string(),
    issuedAt: p.datetime(),
  },
});

/** The durable intent of one provider call; ends exactly once, as settled or released. */
export const ReservationEntity = defineEntity({
  name: 'Reservation',
  tableName: 'reservation',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    amount: p.bigint('number'),
    state: p.enum(() => ['held', 'settled', 'released'] as const),
    /** Encoded ledger.v1.Draft of the request; null if it was never sent or has ended. */
    intent: p.blob().nullable(),
    expiresAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    /** Tokens charged and tokens unpaid; null until it is settled. */
    actual: p.bigint('number').nullable(),
    unpaid: p.bigint('number').nullable(),
    /** The other id that it was settled under; its own row is then `released`. */
    settledAs: p.string().nullable(),
  },
});

export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    workspaceId: p.string().primary(),
    posted: p.bigint('number'),
    held: p.bigint('number'),
  },
});

/** An amount that moved from one ledger account to another; append-only. */
export const EntryEntity = defineEntity({
  name: 'Entry',
  tableName: 'entry',
  properties: {
    workspaceId: p.string().primary(),
    seq: p.bigint('number').primary(),
    id: p.string(),
    kind: p.string().$type<EntryKind>(),
    amount: p.bigint('number'),
    /** The names of the two ledger accounts. */
    source: p.string(),
    target: p.string(),
    certificateId: p.string().nullable(),
    reason: p.string().nullable(),
    createdAt: p.datetime(),
  },
});

/** A public key and the window of `issuedAt` in which it signs; shared by all workspaces. */
export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    keyId: p.string().primary(),
    publicKey: p.text(),
    notBefore: p.datetime(),
    notAfter: p.datetime().nullable(),
  },
});
