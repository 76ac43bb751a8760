import type { CertificateService } from '@witan/contracts/services';
import { genesisHash } from '@witan/proof';
import { workspaceScope } from '@witan/service-kit';
import type { Database, Handlers } from '@witan/service-kit';
import { listCertificates } from '../storage/certificate-store.ts';
import { listSigningKeys } from '../storage/signing-key-store.ts';
import { toCertificate } from './to-certificate.ts';
import { toSigningKey } from './to-signing-key.ts';

/** Certificates in one message; about 300 KiB. */
const PAGE_SIZE = 200;

/** Streams the calling workspace's whole chain, page by page, header first. */
export const createExportChain = (
  database: Database,
  issuer: string,
): Handlers<typeof CertificateService>['exportChain'] =>
  async function* exportChain(_request, { workspaceId, signal }) {
    const scope = workspaceScope(workspaceId);
    const keys = (await listSigningKeys(database)).map(toSigningKey);
    const genesis = genesisHash(issuer, workspaceId);
    yield { event: { case: 'header', value: { workspaceId, issuer, genesis, keys } } };
    for (let fromIndex = 0; ; fromIndex += PAGE_SIZE) {
      signal.throwIfAborted();
      const page = await listCertificates(database, scope, { fromIndex, limit: PAGE_SIZE });
      if (page.length > 0) {
        yield { event: { case: 'page', value: { certificates: page.map(toCertificate) } } };
      }
      if (page.length < PAGE_SIZE) return;
    }
  };
