import { hashes, Point, verify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

/**
 * Whether a signature is valid under a public key that {@link isSoundPoint} (which is for the
 * caller to have checked, once for a key). RFC 8032 5.1.7.
 *
 * The RFC lets a verifier multiply the equation by the cofactor (noble does) or not (OpenSSL and
 * most others do not). The two part only over points with a small-order component, which no honest
 * signer makes, but with which a dishonest one could make a certificate that verifies in one place
 * and not in another. So such points are refused, and every implementation agrees.
 */
export function verifyEd25519(signed: {
  signature: Uint8Array;
  message: Uint8Array;
  publicKey: Uint8Array;
}): boolean {
  const { signature, message, publicKey } = signed;
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  // noble asks its user for the hash of its synchronous functions.
  hashes.sha512 ??= sha512;
  return (
    verify(signature, message, publicKey, { zip215: false }) &&
    isSoundPoint(signature.subarray(0, 32))
  );
}

/**
 * Whether 32 bytes are the canonical encoding of a point of the prime-order group other than its
 * zero: what the key and the first half of the signature of every honest signer are.
 */
export function isSoundPoint(encoded: Uint8Array): boolean {
  try {
    const point = Point.fromBytes(encoded, false);
    return point.isTorsionFree() && !point.is0();
  } catch {
    return false; // not the encoding of a point
  }
}
