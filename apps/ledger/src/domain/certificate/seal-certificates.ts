import type { Draft } from '@witan/contracts';
import { canonicalJson } from '@witan/proof';
import type { Signer } from '../signing-key/signer.ts';
import { toPayload } from './to-payload.ts';

/** Where a chain ends: the next certificate follows this. */
export type ChainHead = {
  /** -1 before the first certificate. */
  chainIndex: number;
  /** The last payload hash; the genesis hash before the first certificate. */
  hash: string;
  /** Milliseconds since the epoch; time never goes back along a chain. */
  issuedAt: number;
};

/** A certificate with its place; `payload` is canonical JSON text. */
export type SealedCertificate = {
  id: string;
  workspaceId: string;
  chainIndex: number;
  payload: string;
  payloadHash: string;
  signature: string;
  keyId: string;
};

/** A certificate that is about to be written, with what its workspace is charged for. */
export type NewCertificate = SealedCertificate & { usageTokens: number };

/** Where a group of certificates goes. */
export type ChainPlace = {
  workspaceId: string;
  issuer: string;
  head: ChainHead;
  /** Milliseconds since the epoch. */
  now: number;
};

/**
 * Seals drafts, in their order, as the certificates that follow `head` (Seed 2.12, 4.6). Nothing is
 * written until the books take them. Only linking is serial: signatures are made in parallel.
 */
export const sealCertificates = async (
  drafts: readonly Draft[],
  place: ChainPlace,
  signer: Signer,
): Promise<{ certificates: NewCertificate[]; head: ChainHead }> => {
  let head = place.head;
  const linked = drafts.map((draft) => {
    const link = linkCertificate(draft, { ...place, head }, signer);
    head = link.head;
    return link.certificate;
  });
  const certificates = await Promise.all(
    linked.map(async (certificate) => {
      const signature = await signer.sign(certificate.payloadHash);
      return { ...certificate, signature, keyId: signer.keyId };
    }),
  );
  return { certificates, head };
};

type LinkedCertificate = Omit<NewCertificate, 'signature' | 'keyId'>;

const linkCertificate = (
  draft: Draft,
  { workspaceId, issuer, head, now }: ChainPlace,
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
  const usageTokens = draft.answer!.usage!.totalTokens;
  const certificate = {
    id: draft.proofId,
    workspaceId,
    chainIndex,
    payload,
    payloadHash,
    usageTokens,
  };
  return { certificate, head: { chainIndex, hash: payloadHash, issuedAt } };
};
