import { notFound } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { CertificateReader } from '../ports.ts';
import { toCertificate } from './to-certificate.ts';

export const createGetCertificate =
  (certificates: CertificateReader): Handlers<typeof CertificateService>['getCertificate'] =>
  async ({ proofId }, { workspaceId }) => {
    const found = await certificates.find(workspaceId, proofId);
    if (!found) throw notFound('No certificate with this id in this workspace.');
    return { certificate: toCertificate(found) };
  };
