import { defineEntity, p } from '@mikro-orm/core';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { CertificateReader } from '../sign-certificates.ts';

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
    /**
     * Encoded ledger.v1.Draft; null until the request may be sent, and after the reservation has
     * ended.
     */
    intent: p.blob().nullable(),
    expiresAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    /** Charged tokens; null, like `unpaid`, in reservations that are not settled. */
    actual: p.bigint('number').nullable(),
    unpaid: p.bigint('number').nullable(),
    settledAs: p.string().nullable(),
  },
});

export const createCertificateStore = (database: Database): CertificateReader => ({
  find: (workspaceId, proofId) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const row = await em.findOne(CertificateEntity, { id: proofId });
      return row ?? undefined;
    }),
  findSettling: (workspaceId, reservationId) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const reservation = await em.findOne(ReservationEntity, { id: reservationId });
      const id = reservation?.settledAs ?? reservationId;
      return (await em.findOne(CertificateEntity, { id })) ?? undefined;
    }),
  findAt: (workspaceId, chainIndex) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const row = await em.findOne(CertificateEntity, { workspaceId, chainIndex });
      return row ?? undefined;
    }),
  list: (workspaceId, { fromIndex, limit }) =>
    database.scoped(workspaceScope(workspaceId), (em) =>
      em.find(
        CertificateEntity,
        { workspaceId, chainIndex: { $gte: fromIndex } },
        { orderBy: { chainIndex: 'asc' }, limit, disableIdentityMap: true },
      ),
    ),
});
