import { defineEntity, p } from '@mikro-orm/core';

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

/** Before the first certificate, `chainIndex` is -1 and `hash` the genesis hash. */
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

export const ReservationEntity = defineEntity({
  name: 'Reservation',
  tableName: 'reservation',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    amount: p.bigint('number'),
    state: p.enum(() => ['held', 'settled', 'released'] as const),
    /** Encoded ledger.v1.Draft; null if the request was never sent or the reservation has ended. */
    intent: p.blob().nullable(),
    expiresAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    /** Charged tokens; null, like `unpaid`, until the reservation is settled. */
    actual: p.bigint('number').nullable(),
    unpaid: p.bigint('number').nullable(),
    settledAs: p.string().nullable(),
  },
});
