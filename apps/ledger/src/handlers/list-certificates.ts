import { invalidRequest } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { workspaceScope } from '@witan/service-kit';
import type { Database, Handlers } from '@witan/service-kit';
import { listCertificates } from '../storage/certificate-store.ts';
import { toCertificate } from './to-certificate.ts';

const LIMIT_MAX = 500;

/** Answers a stretch of the calling workspace's chain, in order. */
export const createListCertificates =
  (database: Database): Handlers<typeof CertificateService>['listCertificates'] =>
  async ({ fromIndex, limit }, { workspaceId }) => {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw invalidRequest(`limit must be from 1 to ${LIMIT_MAX}.`, { param: 'limit' });
    }
    const scope = workspaceScope(workspaceId);
    const found = await listCertificates(database, scope, { fromIndex, limit });
    return { certificates: found.map(toCertificate) };
  };
