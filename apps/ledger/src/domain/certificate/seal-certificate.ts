import type { Draft } from '@witan/contracts';
import type { CertificatePayload } from '@witan/proof';
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

/**
 * Seals a draft as the certificate that follows `head` (Seed 2.12, 4.6). Pure: nothing is written
 * until the books take it. Answers the certificate and the head after it.
 */
export const sealCertificate = (
  draft: Draft,
  place: { workspaceId: string; issuer: string; head: ChainHead; now: number },
  signer: Signer,
): { certificate: SealedCertificate; head: ChainHead } => {
  const issuedAt = Math.max(place.now, place.head.issuedAt);
  const chainIndex = place.head.chainIndex + 1;
  const payload: CertificatePayload = toPayload(draft, {
    issuer: place.issuer,
    issuedAt: new Date(issuedAt).toISOString(),
    chainIndex,
    prevHash: place.head.hash,
  });
  const text = canonicalJson(payload);
  const payloadHash = signer.hash(text);
  const certificate: SealedCertificate = {
    id: draft.proofId,
    workspaceId: place.workspaceId,
    chainIndex,
    payload: text,
    payloadHash,
    signature: signer.sign(payloadHash),
    keyId: signer.keyId,
  };
  return { certificate, head: { chainIndex, hash: payloadHash, issuedAt } };
};
