import { decodeBase64, sha256Hex } from './bytes.ts';
import { canonicalJson } from './commitment.ts';
import { parseCertificate } from './certificate.ts';
import type { Certificate, CertificatePayload } from './certificate.ts';
import { ed25519 } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { keysInForce } from './keys.ts';
import type { PublicKeys } from './keys.ts';

export type VerifiedCertificate = { payload: CertificatePayload; keyId: string };

export type CheckOutcome = { ok: true } | { ok: false; error: ProofError };

export type CertificateChecks = {
  schema: CheckOutcome;
  payloadHash?: CheckOutcome;
  signature?: CheckOutcome;
  /** Present if the certificate has a valid schema; to be trusted only if all checks passed. */
  payload?: CertificatePayload;
  keyId?: string;
};

/**
 * Verifies one certificate, given as JSON text, bytes or parsed value, with the issuer's keys
 * (`docs/spec.md#4.6` rules 1 to 3). Makes no network request. Throws the first failure of
 * `not_json`, `duplicate_key`, `schema`, `payload_hash`, `no_key` and `signature`.
 */
export function verifyCertificate(source: unknown, keys: PublicKeys): VerifiedCertificate {
  const certificate = parseCertificate(source);
  verifyPayloadHash(certificate);
  return { payload: certificate.payload, keyId: verifySignature(certificate, keys) };
}

/**
 * Makes the same checks as {@link verifyCertificate}, but returns the outcome of each check instead
 * of throwing a {@link ProofError}. If the form of the certificate is invalid, the other checks are
 * not made.
 */
export function checkCertificate(source: unknown, keys: PublicKeys): CertificateChecks {
  let certificate: Certificate;
  try {
    certificate = parseCertificate(source);
  } catch (error) {
    return { schema: failed(error) };
  }
  const checks: CertificateChecks = { schema: { ok: true }, payload: certificate.payload };
  checks.payloadHash = outcomeOf(() => verifyPayloadHash(certificate));
  checks.signature = outcomeOf(() => {
    checks.keyId = verifySignature(certificate, keys);
  });
  return checks;
}

export function verifyPayloadHash({ payload, payload_hash }: Certificate): void {
  const actual = sha256Hex(canonicalJson(payload));
  if (actual === payload_hash) return;
  throw new ProofError('payload_hash', `the payload hashes to ${actual}, not to ${payload_hash}`);
}

export function verifySignature(certificate: Certificate, keys: PublicKeys): string {
  const signed = toSigned(certificate, keys);
  return signerOf(signed, signed.find(ed25519.verify));
}

/** Verifies like {@link verifySignature}, but where possible on another thread. */
export async function verifySignatureInPool(
  certificate: Certificate,
  keys: PublicKeys,
): Promise<string> {
  const signed = toSigned(certificate, keys);
  for (const candidate of signed) {
    if (await ed25519.verifyInPool(candidate)) return candidate.keyId;
  }
  return signerOf(signed, undefined);
}

type SignedBy = {
  keyId: string;
  signature: Uint8Array;
  message: Uint8Array;
  publicKey: Uint8Array;
};

/** Returns the signature with each of the keys that may have made it. */
function toSigned(certificate: Certificate, keys: PublicKeys): SignedBy[] {
  const { issuedAt } = certificate.payload;
  const candidates = keysInForce(keys, issuedAt);
  if (candidates.length === 0) {
    throw new ProofError('no_key', `no key was in force at ${issuedAt}`);
  }
  const signature = decodeBase64(certificate.signature) ?? new Uint8Array();
  const message = new TextEncoder().encode(certificate.payload_hash);
  return candidates.map(({ keyId, raw }) => ({ keyId, signature, message, publicKey: raw }));
}

function signerOf(signed: readonly SignedBy[], signer: SignedBy | undefined): string {
  if (signer !== undefined) return signer.keyId;
  const triedKeyIds = signed.map(({ keyId }) => keyId).join(', ');
  throw new ProofError('signature', `the signature over payload_hash is not by key ${triedKeyIds}`);
}

/**
 * Runs one check and returns its outcome. Errors other than {@link ProofError} are bugs and are
 * rethrown.
 */
export function outcomeOf(check: () => void): CheckOutcome {
  try {
    check();
    return { ok: true };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): CheckOutcome {
  if (error instanceof ProofError) return { ok: false, error };
  throw error;
}
