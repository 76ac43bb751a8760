import { decodeBase64, sha256Hex } from './bytes.ts';
import { canonicalJson } from './canonical-json.ts';
import { parseCertificate } from './certificate.ts';
import type { Certificate, CertificatePayload } from './certificate.ts';
import { verifyEd25519 } from './ed25519.ts';
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
 * `not_json`, `duplicate_key`, `schema`, `payload_hash`, `no_key` and `signature`, or
 * `not_canonical` for lone surrogates.
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

function verifyPayloadHash({ payload, payload_hash }: Certificate): void {
  const actual = sha256Hex(canonicalJson(payload));
  if (actual === payload_hash) return;
  throw new ProofError('payload_hash', `the payload hashes to ${actual}, not to ${payload_hash}`);
}

function verifySignature(certificate: Certificate, keys: PublicKeys): string {
  const { issuedAt } = certificate.payload;
  const candidates = keysInForce(keys, issuedAt);
  if (candidates.length === 0) {
    throw new ProofError('no_key', `no key was in force at ${issuedAt}`);
  }
  const signature = decodeBase64(certificate.signature) ?? new Uint8Array();
  const message = new TextEncoder().encode(certificate.payload_hash);
  const signer = candidates.find(({ raw }) =>
    verifyEd25519({ signature, message, publicKey: raw }),
  );
  if (signer !== undefined) return signer.keyId;
  const triedKeyIds = candidates.map(({ keyId }) => keyId).join(', ');
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
