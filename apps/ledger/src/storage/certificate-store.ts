import type { Database, Scope } from '@witan/service-kit';
import type { SealedCertificate } from '../domain/certificate/seal-certificate.ts';
import { CertificateEntity } from './entities.ts';

/** The certificate with this id in the scope, if there is one. */
export const findCertificate = (
  database: Database,
  scope: Scope,
  proofId: string,
): Promise<SealedCertificate | undefined> =>
  database.scoped(scope, async (em) => {
    const row = await em.findOne(CertificateEntity, { id: proofId });
    return row ?? undefined;
  });

/** The certificate at this position of the workspace's chain, if there is one. */
export const findCertificateAt = (
  database: Database,
  scope: Scope,
  chainIndex: number,
): Promise<SealedCertificate | undefined> =>
  database.scoped(scope, async (em) => {
    const row = await em.findOne(CertificateEntity, { chainIndex });
    return row ?? undefined;
  });

/** Certificates in chain order, from `fromIndex` on. */
export const listCertificates = (
  database: Database,
  scope: Scope,
  range: { fromIndex: number; limit: number },
): Promise<SealedCertificate[]> =>
  database.scoped(scope, (em) =>
    em.find(
      CertificateEntity,
      { chainIndex: { $gte: range.fromIndex } },
      { orderBy: { chainIndex: 'asc' }, limit: range.limit, disableIdentityMap: true },
    ),
  );
