import { Point } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

/**
 * Whether a signature is valid under a public key that {@link isSoundPoint} (which is for the
 * caller to have checked, once for a key; throws when the key is no point). RFC 8032 5.1.7.
 *
 * The RFC lets a verifier multiply the equation by the cofactor (noble does) or not (OpenSSL and
 * most others do not). The two part only over points with a small-order component, which no honest
 * signer makes, but with which a dishonest one could make a certificate that verifies in one place
 * and not in another. Here it is not multiplied: the first half of the signature must be the very
 * bytes of `S·B − k·A`, which has no such component when the key has none. Nor may it be zero.
 */
export function verifyEd25519(signed: {
  signature: Uint8Array;
  message: Uint8Array;
  publicKey: Uint8Array;
}): boolean {
  const { signature, message, publicKey } = signed;
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  const given = signature.subarray(0, 32);
  const s = toInteger(signature.subarray(32));
  if (s >= ORDER) return false;
  const digest = sha512.create().update(given).update(publicKey).update(message).digest();
  const k = toInteger(digest) % ORDER;
  const point = Point.BASE.multiply(s, false).subtract(multiplyKey(publicKey, k));
  return !point.is0() && point.toBytes().every((byte, i) => byte === given[i]);
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

/** L of RFC 8032: the order of the group that signatures are made in. */
const ORDER = Point.CURVE().n;
/** Bits of a scalar that one row of {@link Multiples} stands for. */
const WINDOW = 4n;

/** Row `i` holds 0 to 15 times `16^i·A`, so that a scalar is 64 additions and no doubling. */
type Multiples = Point[][];

/** What was made of keys that were used; whoever drops a key's bytes drops it. */
const known = new WeakMap<Uint8Array, { key: Point; multiples?: Multiples }>();

/** `k·A`. From its second use on a key has a table, which costs some three multiplications. */
function multiplyKey(publicKey: Uint8Array, k: bigint): Point {
  const found = known.get(publicKey);
  if (found === undefined) {
    const key = Point.fromBytes(publicKey, false);
    known.set(publicKey, { key });
    return key.multiply(k, false);
  }
  found.multiples ??= tabulate(found.key);
  let rest = k;
  let sum = Point.ZERO;
  for (const row of found.multiples) {
    sum = sum.add(row[Number(rest & 15n)]!);
    rest >>= WINDOW;
  }
  return sum;
}

function tabulate(key: Point): Multiples {
  let base = key;
  return Array.from({ length: 64 }, () => {
    const row = [Point.ZERO];
    for (let i = 0; i < 15; i++) row.push(row[i]!.add(base));
    base = row[15]!.add(base);
    return row;
  });
}

/** Of bytes in little-endian order. */
const toInteger = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
