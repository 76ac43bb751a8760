import { Point } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/**
 * Returns whether a signature is valid under a public key (RFC 8032 section 5.1.7). A key that is
 * not of prime order has no valid signatures.
 *
 * The RFC lets a verifier multiply the verification equation by the cofactor (as noble does) or not
 * (as OpenSSL and most others do). The results differ only for points with a small-order component.
 * No honest signer produces such points, but a dishonest one could use them for a certificate that
 * only some verifiers accept. This function does not multiply: R must equal the bytes of `S·B −
 * k·A`, which has no such component if the key has none, and must not be zero.
 */
export function verifyEd25519(signed: {
  signature: Uint8Array;
  message: Uint8Array;
  publicKey: Uint8Array;
}): boolean {
  const { signature, message, publicKey } = signed;
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  const encodedR = signature.subarray(0, 32);
  const s = toInteger(signature.subarray(32));
  if (s >= ORDER) return false;
  const keyHex = bytesToHex(publicKey);
  const key = cachedKeys.get(keyHex) ?? createMultiplier(publicKey);
  if (key === undefined) return false;
  const digest = sha512.create().update(encodedR).update(publicKey).update(message).digest();
  const point = Point.BASE.multiply(s, false).subtract(key(toInteger(digest) % ORDER));
  const isValid = !point.is0() && point.toBytes().every((byte, i) => byte === encodedR[i]);
  if (isValid) cacheKey(keyHex, key);
  return isValid;
}

/**
 * Returns whether 32 bytes are the canonical encoding of a nonzero point of the prime-order group.
 * The public key and R of every honest signer are such points.
 */
export function isPrimeOrderPoint(encoded: Uint8Array): boolean {
  return toPrimeOrderPoint(encoded) !== undefined;
}

/** The order of the group, named L in RFC 8032. */
const ORDER = Point.CURVE().n;
/** Maximum number of cached keys; the multiplication table of each takes about 250 kB. */
const CACHED_KEYS_MAX = 16;

type ScalarMultiplier = (scalar: bigint) => Point;

/**
 * LRU cache of public keys, in hex, under which a signature was valid. Other keys are not cached,
 * because a list of keys may be long and come from an attacker.
 */
const cachedKeys = new Map<string, ScalarMultiplier>();

function cacheKey(keyHex: string, key: ScalarMultiplier): void {
  cachedKeys.delete(keyHex);
  cachedKeys.set(keyHex, key);
  for (const oldest of cachedKeys.keys()) {
    if (cachedKeys.size <= CACHED_KEYS_MAX) return;
    cachedKeys.delete(oldest);
  }
}

/**
 * Creates a function that multiplies a public key by a scalar; undefined for an invalid key. The
 * function's second call builds a table, which costs about as much as three multiplications and
 * makes later ones fast.
 */
function createMultiplier(encoded: Uint8Array): ScalarMultiplier | undefined {
  const point = toPrimeOrderPoint(encoded);
  if (point === undefined) return undefined;
  let uses = 0;
  let multiples: Multiples | undefined;
  return (scalar) => {
    uses += 1;
    if (uses === 1) return point.multiply(scalar, false);
    multiples ??= buildTable(point);
    return multiplyByTable(multiples, scalar);
  };
}

function toPrimeOrderPoint(encoded: Uint8Array): Point | undefined {
  try {
    const point = Point.fromBytes(encoded, false);
    return point.isTorsionFree() && !point.is0() ? point : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Multiplication table of a key A. Row `i` has the multiples 0 to 15 of `16^i·A`, so that
 * multiplying by a scalar takes 64 additions and no doubling.
 */
type Multiples = Point[][];

function buildTable(point: Point): Multiples {
  let base = point;
  return Array.from({ length: 64 }, () => {
    const row = [Point.ZERO];
    for (let i = 0; i < 15; i++) row.push(row[i]!.add(base));
    base = row[15]!.add(base);
    return row;
  });
}

function multiplyByTable(multiples: Multiples, scalar: bigint): Point {
  let rest = scalar;
  let sum = Point.ZERO;
  for (const row of multiples) {
    sum = sum.add(row[Number(rest & 15n)]!);
    rest >>= 4n;
  }
  return sum;
}

const toInteger = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
