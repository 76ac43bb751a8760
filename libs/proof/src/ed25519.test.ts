import * as crypto from 'node:crypto';
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Point } from '@noble/ed25519';
import { createEd25519, ed25519, isPrimeOrderPoint } from './ed25519.ts';
import { pemOf } from './keys.ts';
import { nodeCrypto } from './node-crypto.ts';

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

const equation = createEd25519(undefined);

describe.each([
  ['node:crypto', createEd25519(crypto).verify],
  ['its own equation', equation.verify],
])('Ed25519 with %s', (_name, verifyEd25519) => {
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

describe('ed25519', () => {
  const toVerdicts = async (signed: Parameters<typeof ed25519.verify>[0]) => [
    ed25519.verify(signed),
    await ed25519.verifyInPool(signed),
    equation.verify(signed),
  ];
  const torsions = Array.from({ length: 8 }, (_, i) =>
    Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a').multiply(
      BigInt(i) || 8n,
      false,
    ),
  );

  it('uses the module of Node', () => {
    expect(nodeCrypto).toBe(process.getBuiltinModule('node:crypto'));
  });

  it('gives the same results as the equation for random changes of a byte', async () => {
    let accepted = 0;
    for (let i = 0; i < 300; i++) {
      const message = crypto.randomBytes(64);
      const signature = new Uint8Array(sign(null, message, privateKey));
      const signed = { signature, message, publicKey: publicKey.slice() };
      const changed = [signature, message, signed.publicKey, new Uint8Array(1)][i % 4]!;
      changed[crypto.randomInt(changed.length)]! ^= 1 << crypto.randomInt(8);
      const [first, ...others] = await toVerdicts(signed);
      expect(others).toEqual([first, first]);
      expect(first).toBe(i % 4 === 3);
      accepted += Number(first);
    }
    expect(accepted).toBe(75);
  });

  it('gives the same results as the equation for points with a small-order component', async () => {
    const message = Buffer.from('of a dishonest issuer');
    for (const torsion of torsions) {
      const isHonest = torsion.is0();
      const signed = signWith(5n, 9n, torsion, message);
      expect(await toVerdicts(signed)).toEqual([isHonest, isHonest, isHonest]);
      const mixedKey = Point.BASE.multiply(5n).add(torsion).toBytes();
      expect(await toVerdicts({ ...signed, publicKey: mixedKey })).toEqual(Array(3).fill(isHonest));
      // R is of small order: zero, or zero and a component.
      const smallR = signWith(5n, 0n, torsion, message);
      expect(await toVerdicts(smallR)).toEqual([false, false, false]);
      expect(await toVerdicts({ ...smallR, publicKey: torsion.toBytes() })).toEqual(
        Array(3).fill(false),
      );
    }
  });

  it('gives the same results as the equation for encodings that are not canonical', async () => {
    const message = Buffer.from('anything');
    const honest = signWith(5n, 9n, Point.ZERO, message);
    // y = p + 1 and y = p, also with the sign of x, which is 0 or has no such root.
    const encodings = [0xee, 0xed].flatMap((low) =>
      [0x7f, 0xff].map((high) => Uint8Array.from([low, ...Array(30).fill(0xff), high])),
    );
    for (const encoded of [...encodings, Uint8Array.from([1, ...Array(30).fill(0), 0x80])]) {
      const signature = Buffer.concat([encoded, honest.signature.subarray(32)]);
      const zero = signWith(5n, 0n, Point.ZERO, message).signature;
      const zeroR = Buffer.concat([encoded, zero.subarray(32)]);
      for (const changed of [{ signature }, { signature: zeroR }, { publicKey: encoded }]) {
        expect(await toVerdicts({ ...honest, ...changed })).toEqual([false, false, false]);
      }
    }
  });

  it('verifies by the equation if the runtime has no Ed25519', () => {
    const withoutEd25519 = {
      ...crypto,
      createPublicKey: () => {
        throw new Error('unsupported');
      },
    };
    const { verify: verifyWithout } = createEd25519(withoutEd25519);
    const message = Buffer.from('approved algorithms only');
    const signature = sign(null, message, privateKey);
    expect(verifyWithout({ signature, message, publicKey })).toBe(true);
    expect(verifyWithout({ signature, message: Buffer.from('other'), publicKey })).toBe(false);
  });
});
