import type { CertificateService } from '@witan/contracts/services';
import { genesisHash } from '@witan/proof';
import type { Handlers } from '@witan/service-kit';
import type { CertificateReader } from '../ports.ts';
import type { ListKeys } from '../../signing-key/stored-key.ts';
import { toCertificate } from './to-certificate.ts';
import { toSigningKey } from '../../signing-key/rpc/to-signing-key.ts';

const PAGE_SIZE = 200;

export const createExportChain = (
  certificates: CertificateReader,
  listKeys: ListKeys,
  issuer: string,
): Handlers<typeof CertificateService>['exportChain'] =>
  async function* exportChain(_request, { workspaceId, signal }) {
    const keys = (await listKeys()).map(toSigningKey);
    const genesis = genesisHash(issuer, workspaceId);
    yield { event: { case: 'header', value: { workspaceId, issuer, genesis, keys } } };
    for (let fromIndex = 0; ;) {
      signal.throwIfAborted();
      const page = await certificates.list(workspaceId, { fromIndex, limit: PAGE_SIZE });
      if (page.length > 0) {
        yield { event: { case: 'page', value: { certificates: page.map(toCertificate) } } };
      }
      if (page.length < PAGE_SIZE) return;
      // Continues after the last index instead of counting rows, because a count would be too low
      // after a gap in the chain and repeat rows.
      fromIndex = page.at(-1)!.chainIndex + 1;
    }
  };
