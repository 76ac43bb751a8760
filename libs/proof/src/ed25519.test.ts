import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Point } from '@noble/ed25519';
import { isPrimeOrderPoint, verifyEd25519 } from './ed25519.ts';
import { pemOf } from './keys.ts';

const ORDER = Point.CURVE().n;
const { publicKey: spki, privateKey } = generateKeyPairSync('ed25519');
const publicKey = new Uint8Array(spki.export({ format: 'der', type: 'spki' }).subarray(-32));

const toInteger = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const toBytes = (value: bigint): Uint8Array =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

/**
 * Signs a message with a nonce of the caller's choice and adds `extra` to the signature's point, as
 * a dishonest issuer could.
 */
const signWith = (secret: bigint, nonce: bigint, extra: Point, message: Uint8Array) => {
  const key = Point.BASE.multiply(secret).toBytes();
  const first = Point.BASE.multiply(nonce, false).add(extra).toBytes();
  const digest = createHash('sha512').update(first).update(key).update(message).digest();
  const second = toBytes((nonce + toInteger(digest) * secret) % ORDER);
  return { publicKey: key, signature: Buffer.concat([first, second]), message };
};

describe('verifyEd25519', () => {
  it('agrees with node:crypto on the first and every later use of a key', () => {
    for (let i = 0; i < 40; i++) {
      const message = Buffer.from(`message ${i}`);
      const signature = sign(null, message, privateKey);
      expect(verifyEd25519({ signature, message, publicKey })).toBe(true);
      const other = Buffer.from(`message ${i + 1}`);
      expect(verifyEd25519({ signature, message: other, publicKey })).toBe(false);
      signature[i + 3]! ^= 1 << (i % 8);
      expect(verifyEd25519({ signature, message, publicKey })).toBe(false);
      expect(verify(null, message, createPublicKey(pemOf(publicKey)), signature)).toBe(false);
    }
  });

  it('does not confuse cached keys', () => {
    const message = Buffer.from('same');
    const signatures = [11n, 12n].map((secret) => signWith(secret, 77n, Point.ZERO, message));
    for (let pass = 0; pass < 3; pass++) {
      expect(signatures.map(verifyEd25519)).toEqual([true, true]);
      const swapped = { ...signatures[0]!, publicKey: signatures[1]!.publicKey };
      expect(verifyEd25519(swapped)).toBe(false);
    }
  });

  it('refuses signatures that only a cofactored equation accepts, and a zero R', () => {
    const torsion = Point.fromAffine({ x: 0n, y: -1n + 2n ** 255n - 19n });
    const message = Buffer.from('of a dishonest issuer');
    expect(torsion.isSmallOrder()).toBe(true);
    const mixed = signWith(5n, 9n, torsion, message);
    const zero = signWith(5n, 0n, Point.ZERO, message);
    expect(isPrimeOrderPoint(mixed.publicKey)).toBe(true);
    const verdicts = () => [mixed, zero].map(verifyEd25519);
    expect(verdicts()).toEqual([false, false]);
    // Uses the key a second time, because the multiplication table of a key is built on its second
    // use.
    expect(verifyEd25519(signWith(5n, 9n, Point.ZERO, message))).toBe(true);
    expect(verifyEd25519(signWith(5n, 10n, Point.ZERO, message))).toBe(true);
    expect(verdicts()).toEqual([false, false]);
  });

  it('refuses an S that is not below the group order', () => {
    const message = Buffer.from('twice');
    const signature = sign(null, message, privateKey);
    const beyond = toInteger(signature.subarray(32)) + ORDER;
    signature.set(toBytes(beyond), 32);
    expect(verifyEd25519({ signature, message, publicKey })).toBe(false);
  });

  it('refuses signatures of the wrong length', () => {
    const message = Buffer.from('short');
    const signature = sign(null, message, privateKey);
    expect(verifyEd25519({ signature: signature.subarray(1), message, publicKey })).toBe(false);
    const longer = Buffer.concat([signature, Buffer.alloc(1)]);
    expect(verifyEd25519({ signature: longer, message, publicKey })).toBe(false);
  });

  it('refuses keys that are not a point, zero, or of small order', () => {
    const message = Buffer.from('anything');
    const torsion = Point.fromAffine({ x: 0n, y: -1n + 2n ** 255n - 19n });
    const anyS = toBytes(7n);
    const signature = Buffer.concat([Point.BASE.multiply(7n).toBytes(), anyS]);
    const keys = [Point.ZERO.toBytes(), torsion.toBytes(), new Uint8Array(32).fill(2)];
    expect(keys.map((key) => verifyEd25519({ signature, message, publicKey: key }))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('identifies a key by its bytes even if the caller reuses the array', () => {
    const message = Buffer.from('reused');
    const [first, second] = [21n, 22n].map((secret) => signWith(secret, 5n, Point.ZERO, message));
    const reused = Uint8Array.from(first!.publicKey);
    const isValid = (signed: typeof first) => verifyEd25519({ ...signed!, publicKey: reused });
    expect([isValid(first), isValid(first), isValid(second)]).toEqual([true, true, false]);
    reused.set(second!.publicKey);
    expect([isValid(first), isValid(second), isValid(second)]).toEqual([false, true, true]);
  });

  it('verifies correctly with more keys than the cache has room for', () => {
    const message = Buffer.from('many');
    const allSigned = Array.from({ length: 40 }, (_, i) =>
      signWith(BigInt(100 + i), 3n, Point.ZERO, message),
    );
    for (let pass = 0; pass < 2; pass++) {
      expect(allSigned.map(verifyEd25519)).toEqual(Array(40).fill(true));
    }
  });
});
