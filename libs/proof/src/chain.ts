import type { Certificate } from './certificate.ts';
import { ProofError } from './errors.ts';
import { sha256Hex } from './sha256.ts';

export type ChainIdentity = { issuer: string; genesis: string };

/**
 * Returns the `prevHash` of the first certificate of a chain. It binds the chain to a workspace,
 * because no payload names its workspace.
 */
export function genesisHash(issuer: string, workspaceId: string): string {
  return sha256Hex(`witan-chain/v1\n${issuer}\n${workspaceId}`);
}

/**
 * Checks that `certificate` directly follows `previous` in the chain (undefined for the first
 * certificate): same issuer, next index, hash of `previous`, no earlier `issuedAt`. Verifies
 * neither hash nor signature of `certificate`. Throws ProofError `issuer`, `hole`, `fork`,
 * `genesis`, `prev_hash` or `issued_at`, with the index at which the chain breaks.
 */
export function verifyLink(
  previous: Certificate | undefined,
  certificate: Certificate,
  chain: ChainIdentity,
): void {
  const { issuer, chainIndex, prevHash, issuedAt } = certificate.payload;
  const index = previous === undefined ? 0 : previous.payload.chainIndex + 1;
  if (issuer !== chain.issuer) {
    throw new ProofError('issuer', `issuer is ${issuer}, not ${chain.issuer}`, { index });
  }
  if (chainIndex > index) {
    throw new ProofError('hole', `the next certificate has chainIndex ${chainIndex}`, { index });
  }
  if (chainIndex < index) {
    throw new ProofError('fork', `chainIndex ${chainIndex} comes a second time`, { index });
  }
  if (previous === undefined) {
    if (prevHash === chain.genesis) return;
    throw new ProofError('genesis', 'prevHash is not the genesis hash of the chain', { index });
  }
  if (prevHash !== previous.payload_hash) {
    throw new ProofError('prev_hash', 'prevHash is not payload_hash of the predecessor', { index });
  }
  if (issuedAt < previous.payload.issuedAt) {
    const detail = `issuedAt ${issuedAt} is before the predecessor's ${previous.payload.issuedAt}`;
    throw new ProofError('issued_at', detail, { index });
  }
}
