import {
  genesisHash,
  parseCertificate,
  parsePublicKeys,
  ProofError,
  verifyCertificate,
  verifyLink,
} from '@witan/proof';
import type { Certificate } from '@witan/proof';

/** The first certificate of the chain that is not valid, or is not linked with the one before. */
export type BrokenLink = {
  index: number;
  /** Undefined if it cannot be read. */
  proofId: string | undefined;
  detail: string;
};

export type ChainProgress = {
  /** Number of certificates that are checked, and the hash of the last one. */
  checked: number;
  head: string | undefined;
  broken: BrokenLink | undefined;
};

export type ChainStart = {
  /** The response of `/v1/gateway/public-key`. */
  publicKeys: string;
  workspaceId: string;
  /** Position of the first certificate. From 0, the chain is checked to be this workspace's. */
  fromIndex: number;
};

/**
 * Returns a function that checks the next certificates of a chain: form, hash, signature and link
 * of each. After a broken link it checks nothing more. Throws ProofError for unusable keys.
 */
export const createChainChecker = ({ publicKeys, workspaceId, fromIndex }: ChainStart) => {
  const keys = parsePublicKeys(publicKeys);
  const ids = new Set<string>();
  let previous: Certificate | undefined;
  let progress: ChainProgress = { checked: 0, head: undefined, broken: undefined };

  const check = (source: unknown): void => {
    verifyCertificate(source, keys);
    const certificate = parseCertificate(source);
    const { id, issuer, chainIndex } = certificate.payload;
    // The first of a stretch is linked with one that is not in it.
    if (previous !== undefined || fromIndex === 0) {
      const genesis = genesisHash(issuer, workspaceId);
      verifyLink(previous, certificate, { issuer: previous?.payload.issuer ?? issuer, genesis });
    } else if (chainIndex !== fromIndex) {
      throw new ProofError('hole', `the first certificate has chainIndex ${chainIndex}`);
    }
    if (ids.has(id)) throw new ProofError('duplicate_id', `${id} comes a second time`);
    ids.add(id);
    previous = certificate;
  };

  return (certificates: readonly unknown[]): ChainProgress => {
    for (const source of certificates) {
      if (progress.broken !== undefined) return progress;
      try {
        check(source);
        const { checked } = progress;
        progress = { checked: checked + 1, head: previous?.payload_hash, broken: undefined };
      } catch (error) {
        if (!(error instanceof ProofError)) throw error;
        const index = fromIndex + progress.checked;
        const broken = { index, proofId: idOf(source), detail: error.detail };
        progress = { ...progress, broken };
      }
    }
    return progress;
  };
};

export type ChainChecker = ReturnType<typeof createChainChecker>;

const idOf = (source: unknown): string | undefined => {
  const { payload } = source as { payload?: { id?: unknown } };
  return typeof payload?.id === 'string' ? payload.id : undefined;
};
