import { notFound } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { workspaceScope } from '@witan/service-kit';
import type { Database, Handlers } from '@witan/service-kit';
import { findCertificate } from '../storage/certificate-store.ts';
import { toCertificate } from './to-certificate.ts';

/** Answers a certificate of the calling workspace; another workspace's is NOT_FOUND. */
export const createGetCertificate =
  (database: Database): Handlers<typeof CertificateService>['getCertificate'] =>
  async ({ proofId }, { workspaceId }) => {
    const found = await findCertificate(database, workspaceScope(workspaceId), proofId);
    if (!found) throw notFound('No certificate with this id in this workspace.');
    return { certificate: toCertificate(found) };
  };
