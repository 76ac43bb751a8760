import { defineEntity, p } from '@mikro-orm/core';
import type { EntryKind } from '../domain/account/ports.ts';

/** A sealed certificate. The payload is canonical text and is never parsed by the database. */
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

/** The end of a chain; before the first, `chainIndex` is -1 and `hash` the genesis hash. */
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
    /** Encoded ledger.v1.Draft of what was about to be sent; null once ended or never sent. */
    intent: p.blob().nullable(),
    expiresAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    /** Tokens charged, and those beyond reservation and balance; null until it is settled. */
    actual: p.bigint('number').nullable(),
    unpaid: p.bigint('number').nullable(),
    /** The id that it was settled under instead of its own; its own row counts as released. */
    settledAs: p.string().nullable(),
  },
});

/** A workspace's tokens. */
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    workspaceId: p.string().primary(),
    posted: p.bigint('number'),
    held: p.bigint('number'),
  },
});

/** One amount that left one book of tokens for another; append-only. */
export const EntryEntity = defineEntity({
  name: 'Entry',
  tableName: 'entry',
  properties: {
    workspaceId: p.string().primary(),
    seq: p.bigint('number').primary(),
    id: p.string(),
    kind: p.string().$type<EntryKind>(),
    amount: p.bigint('number'),
    /** The book that the amount left, and the one that it entered. */
    source: p.string(),
    target: p.string(),
    certificateId: p.string().nullable(),
    reason: p.string().nullable(),
    createdAt: p.datetime(),
  },
});

/** A public key and the window of `issuedAt` in which it signs. Belongs to no workspace. */
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
