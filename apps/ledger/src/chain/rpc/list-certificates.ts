import { checkLimit } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { CertificateReader } from '../ports.ts';
import { toCertificate } from './to-certificate.ts';

export const createListCertificates =
  (certificates: CertificateReader): Handlers<typeof CertificateService>['listCertificates'] =>
  async ({ fromIndex, limit }, { workspaceId }) => {
    checkLimit(limit);
    const found = await certificates.list(workspaceId, { fromIndex, limit });
    return { certificates: found.map(toCertificate) };
  };
