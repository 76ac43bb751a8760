import { raw } from '@mikro-orm/core';
import type { CertificateDraft } from '@witan/contracts';
import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { ExpiredReservation } from '../sweep-reservations.ts';
import { ReservationEntity } from '../../chain/store/certificate-store.ts';

export const findExpiredReservations = (
  database: Database,
  limit: number,
): Promise<ExpiredReservation[]> =>
  database.scoped(everyWorkspace, async (em) => {
    const rows = await em.find(
      ReservationEntity,
      // Compares with the database's clock, because the database set `expiresAt`.
      { state: 'held', expiresAt: { $lt: raw('now()') } },
      { orderBy: { expiresAt: 'asc' }, limit },
    );
    return rows.map(({ id, workspaceId, intent }) => ({
      proofId: id,
      workspaceId,
      intent: intent ? (JSON.parse(intent.toString()) as CertificateDraft) : undefined,
    }));
  });
