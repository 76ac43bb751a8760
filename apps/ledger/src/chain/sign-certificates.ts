import type { CertificateDraft } from '@witan/contracts';
import { canonicalJson } from '@witan/proof';
import type { Signer } from '../signing-key/signer.ts';
import { toPayload } from './to-payload.ts';

export type ChainHead = {
  chainIndex: number;
  /** Hash of the last certificate's payload; the genesis hash before the first certificate. */
  hash: string;
  /**
   * Time of the last certificate in milliseconds since the epoch; never decreases along a chain.
   */
  issuedAt: number;
};

export type SignedCertificate = {
  id: string;
  workspaceId: string;
  chainIndex: number;
  payload: string;
  payloadHash: string;
  signature: string;
  keyId: string;
};

/** What is stored beside a certificate; null if it is unknown. */
export type CallColumns = {
  apiKeyId: string | null;
  durationMs: number | null;
  cachedTokens: number | null;
  cacheWriteTokens: number | null;
};

export type NewCertificate = SignedCertificate & CallColumns & { usageTokens: number };

export type SigningContext = {
  workspaceId: string;
  issuer: string;
  head: ChainHead;
  now: number;
  /** Number of certificates that the commit signs in all chains, by default those of this one. */
  commitSize?: number;
};

/**
 * Signs drafts as successors of `head`, in their order, and returns the new head. Certificates are
 * linked one after the other, because each contains the hash of the previous one; the signatures
 * of a large commit are computed off the main thread.
 */
export const signCertificates = async (
  drafts: readonly CertificateDraft[],
  context: SigningContext,
  signer: Signer,
): Promise<{ certificates: NewCertificate[]; head: ChainHead }> => {
  const { commitSize = drafts.length } = context;
  let head = context.head;
  const linked = drafts.map((draft) => {
    const link = linkCertificate(draft, { ...context, head }, signer);
    head = link.head;
    return link.certificate;
  });
  const certificates = await Promise.all(
    linked.map(async (certificate) => {
      const signature = await signer.sign(certificate.payloadHash, commitSize);
      return { ...certificate, signature, keyId: signer.keyId };
    }),
  );
  return { certificates, head };
};

type LinkedCertificate = Omit<NewCertificate, 'signature' | 'keyId'>;

const linkCertificate = (
  draft: CertificateDraft,
  { workspaceId, issuer, head, now }: SigningContext,
  signer: Signer,
): { certificate: LinkedCertificate; head: ChainHead } => {
  const issuedAt = Math.max(now, head.issuedAt);
  const chainIndex = head.chainIndex + 1;
  const payload = canonicalJson(
    toPayload(draft, {
      issuer,
      issuedAt: new Date(issuedAt).toISOString(),
      chainIndex,
      prevHash: head.hash,
    }),
  );
  const payloadHash = signer.hash(payload);
  const usage = draft.answer.usage;
  const certificate = {
    id: draft.proofId,
    workspaceId,
    chainIndex,
    payload,
    payloadHash,
    usageTokens: usage.totalTokens,
    apiKeyId: draft.apiKeyId || null,
    durationMs: draft.durationMs ?? null,
    cachedTokens: usage.cachedTokens ?? null,
    cacheWriteTokens: usage.cacheWriteTokens ?? null,
  };
  return { certificate, head: { chainIndex, hash: payloadHash, issuedAt } };
};

export type CertificateReader = {
  find: (workspaceId: string, proofId: string) => Promise<SignedCertificate | undefined>;
  findSettling: (
    workspaceId: string,
    reservationId: string,
  ) => Promise<SignedCertificate | undefined>;
  findAt: (workspaceId: string, chainIndex: number) => Promise<SignedCertificate | undefined>;
  list: (
    workspaceId: string,
    range: { fromIndex: number; limit: number },
  ) => Promise<SignedCertificate[]>;
};
