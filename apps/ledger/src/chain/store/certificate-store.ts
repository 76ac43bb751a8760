import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { CertificateReader } from '../ports.ts';
import { ReservationEntity } from './chain-entities.ts';
import { CertificateEntity } from './chain-entities.ts';

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
