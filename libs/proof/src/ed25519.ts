import { Point } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { nodeCrypto } from './node-crypto.ts';
import type { NodeCrypto } from './node-crypto.ts';

type Signed = { signature: Uint8Array; message: Uint8Array; publicKey: Uint8Array };

type Ed25519 = {
  /** Returns whether a signature is valid under a public key. */
  verify(signed: Signed): boolean;
  /** The same; in Node and under a cached key, on a thread of its thread pool. */
  verifyInPool(signed: Signed): Promise<boolean>;
};

/** Verifies signatures of 64 bytes under one key. */
type KeyVerifier = {
  verify(signature: Uint8Array, message: Uint8Array): boolean;
  verifyInPool?(signature: Uint8Array, message: Uint8Array): Promise<boolean>;
};

/** Maximum number of cached keys; without node:crypto each has a table of about 250 kB. */
const CACHED_KEYS_MAX = 16;

/**
 * Creates a verifier of Ed25519 signatures (RFC 8032 section 5.1.7), which uses `crypto` or,
 * without it, computes the verification equation itself. Both accept the same signatures. A key
 * that is not of prime order has no valid signatures.
 *
 * The RFC lets a verifier multiply the verification equation by the cofactor (as noble does) or not
 * (as OpenSSL and most others do). The results differ only for points with a small-order component.
 * No honest signer produces such points, but a dishonest one could use them for a certificate that
 * only some verifiers accept. This verifier does not multiply: R must equal the bytes of `S·B −
 * k·A`, which has no such component if the key has none, and must not be zero.
 */
export function createEd25519(crypto: NodeCrypto | undefined): Ed25519 {
  /**
   * LRU cache of public keys, in hex, under which a signature was valid. Other keys are not cached,
   * because a list of keys may be long and come from an attacker.
   */
  const cachedKeys = new Map<string, KeyVerifier>();
  const cacheKey = (keyHex: string, key: KeyVerifier): void => {
    cachedKeys.delete(keyHex);
    cachedKeys.set(keyHex, key);
    for (const oldest of cachedKeys.keys()) {
      if (cachedKeys.size <= CACHED_KEYS_MAX) return;
      cachedKeys.delete(oldest);
    }
  };
  const verify = ({ signature, message, publicKey }: Signed): boolean => {
    if (signature.length !== 64 || publicKey.length !== 32) return false;
    const keyHex = bytesToHex(publicKey);
    const key = cachedKeys.get(keyHex) ?? createKeyVerifier(publicKey.slice(), crypto);
    if (key === undefined || !key.verify(signature, message)) return false;
    cacheKey(keyHex, key);
    return true;
  };
  return {
    verify,
    async verifyInPool(signed) {
      const { signature, message, publicKey } = signed;
      const keyHex = bytesToHex(publicKey);
      const key = signature.length === 64 ? cachedKeys.get(keyHex) : undefined;
      if (!key?.verifyInPool) return verify(signed);
      cacheKey(keyHex, key);
      return await key.verifyInPool(signature, message);
    },
  };
}

export const ed25519 = createEd25519(nodeCrypto);

function createKeyVerifier(
  publicKey: Uint8Array,
  crypto: NodeCrypto | undefined,
): KeyVerifier | undefined {
  const point = toPrimeOrderPoint(publicKey);
  if (point === undefined) return undefined;
  return (crypto && createNativeVerifier(publicKey, crypto)) ?? createEquation(point, publicKey);
}

/**
 * DER prefix of an Ed25519 SubjectPublicKeyInfo, which the 32 raw bytes of the key follow (RFC 8410
 * section 4).
 */
export const SPKI_PREFIX = [48, 42, 48, 5, 6, 3, 43, 101, 112, 3, 33, 0];

/**
 * Returns undefined if `crypto` does not support Ed25519, as with a FIPS provider. OpenSSL refuses
 * S >= L and compares the bytes of R, but accepts a zero R.
 */
function createNativeVerifier(publicKey: Uint8Array, crypto: NodeCrypto): KeyVerifier | undefined {
  try {
    const spki = Buffer.from([...SPKI_PREFIX, ...publicKey]);
    const key = crypto.createPublicKey({ key: spki, format: 'der', type: 'spki' });
    crypto.verify(null, new Uint8Array(), key, new Uint8Array(64));
    return {
      verify: (signature, message) =>
        !hasZeroR(signature) && crypto.verify(null, message, key, signature),
      verifyInPool: (signature, message) =>
        new Promise((resolve, reject) => {
          crypto.verify(null, message, key, signature, (error, isValid) => {
            if (error === null) resolve(isValid && !hasZeroR(signature));
            else reject(error);
          });
        }),
    };
  } catch {
    return undefined;
  }
}

const hasZeroR = (signature: Uint8Array): boolean =>
  signature.subarray(0, 32).every((byte, i) => byte === (i === 0 ? 1 : 0));

function createEquation(point: Point, publicKey: Uint8Array): KeyVerifier {
  const multiply = createMultiplier(point);
  return {
    verify(signature, message) {
      const encodedR = signature.subarray(0, 32);
      const s = toInteger(signature.subarray(32));
      if (s >= ORDER) return false;
      const digest = sha512.create().update(encodedR).update(publicKey).update(message).digest();
      const sum = Point.BASE.multiply(s, false).subtract(multiply(toInteger(digest) % ORDER));
      return !sum.is0() && sum.toBytes().every((byte, i) => byte === encodedR[i]);
    },
  };
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

type ScalarMultiplier = (scalar: bigint) => Point;

/**
 * Creates a function that multiplies a point by a scalar. Its second call builds a table, which
 * costs about as much as three multiplications and makes later ones fast.
 */
function createMultiplier(point: Point): ScalarMultiplier {
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
