import { invalidRequest } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { CertificateReader } from '../ports.ts';
import { toCertificate } from './to-certificate.ts';

const LIMIT_MAX = 500;

export const createListCertificates =
  (certificates: CertificateReader): Handlers<typeof CertificateService>['listCertificates'] =>
  async ({ fromIndex, limit }, { workspaceId }) => {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw invalidRequest(`limit must be from 1 to ${LIMIT_MAX}.`, { param: 'limit' });
    }
    const found = await certificates.list(workspaceId, { fromIndex, limit });
    return { certificates: found.map(toCertificate) };
  };
