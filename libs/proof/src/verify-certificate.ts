import { decodeBase64 } from './base64.ts';
import { canonicalJson } from './canonical-json.ts';
import { parseCertificate } from './certificate.ts';
import type { Certificate, CertificatePayload } from './certificate.ts';
import { verifyEd25519 } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { keysInForce } from './keys.ts';
import type { PublicKeys } from './keys.ts';
import { sha256Hex } from './sha256.ts';

/** What a valid certificate proves, and the id of the key that signed it. */
export type VerifiedCertificate = { payload: CertificatePayload; keyId: string };

/** The outcome of one check: `error` says why it failed. */
export type CheckOutcome = { ok: true } | { ok: false; error: ProofError };

/** The outcome of every check; without the right schema the other two are not tried. */
export type CertificateChecks = {
  schema: CheckOutcome;
  payloadHash?: CheckOutcome;
  signature?: CheckOutcome;
  /** Present when the schema is right; to be believed only when all checks are. */
  payload?: CertificatePayload;
  /** Present when the signature is right. */
  keyId?: string;
};

/**
 * Verifies one certificate, given as its JSON text, as the bytes of it or as a parsed value, with
 * the issuer's keys. Nothing is fetched. Throws the first of `not_json`, `duplicate_key`, `schema`,
 * `payload_hash`, `no_key`, `signature` (and `not_canonical` for lone surrogates).
 * `docs/spec.md#4.6` rules 1 to 3.
 */
export function verifyCertificate(source: unknown, keys: PublicKeys): VerifiedCertificate {
  const certificate = parseCertificate(source);
  verifyPayloadHash(certificate);
  return { payload: certificate.payload, keyId: verifySignature(certificate, keys) };
}

/** Like {@link verifyCertificate}, but tells the outcome of each check and never throws. */
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

/** Throws `payload_hash` unless the hash is that of the payload's canonical JSON. */
function verifyPayloadHash({ payload, payload_hash }: Certificate): void {
  const actual = sha256Hex(canonicalJson(payload));
  if (actual === payload_hash) return;
  throw new ProofError('payload_hash', `the payload hashes to ${actual}, not to ${payload_hash}`);
}

/** The id of the key that signed `payload_hash`. Throws `no_key` and `signature`. */
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
  const tried = candidates.map(({ keyId }) => keyId).join(', ');
  throw new ProofError('signature', `the signature over payload_hash is not by key ${tried}`);
}

/** Runs one check. What is not a {@link ProofError} is a bug and goes through. */
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
