import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BUNDLE_POLICY, makeBundle } from '../../test/make-bundle.ts';
import { failureOf, reasonOf } from '../../test/reason-of.ts';
import { exampleChain, NEW_KEY, OLD_KEY } from '../../vectors/samples.ts';
import { joinBytes } from '../bytes.ts';
import { pemOf } from '../keys.ts';
import { parseTlogProof } from './tlog-proof.ts';
import { cosignedText, createNoteKey, formatSignatureLine, parseNote } from './note.ts';
import { formatPolicy, parsePolicy } from './policy.ts';
import { verifyBundle } from './verify-bundle.ts';

const bundle = makeBundle(exampleChain().slice(0, 5), 3);
const { certificate, log } = JSON.parse(bundle) as {
  certificate: { payload: { issuedAt: string } };
  log: string;
};
const issuedAt = BigInt(Math.floor(Date.parse(certificate.payload.issuedAt) / 1000));
const { text } = parseNote(parseTlogProof(log).checkpoint);

const witnesses = ['w1', 'w2', 'w3'].map((name) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));
  const key = createNoteKey({ name, type: 4, key: raw });
  return {
    key,
    cosign(time: bigint, signedTime = time): string {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(time);
      const signature = sign(null, Buffer.from(cosignedText(text, signedTime)), privateKey);
      return `${formatSignatureLine(key, joinBytes([bytes, signature]))}\n`;
    },
  };
});
const [w1, w2, w3] = witnesses as [
  (typeof witnesses)[0],
  (typeof witnesses)[0],
  (typeof witnesses)[0],
];
const policyOf = (threshold: number) =>
  parsePolicy(
    formatPolicy({
      logs: parsePolicy(BUNDLE_POLICY).logs.map(({ key }) => key),
      witnesses: witnesses.map(({ key }) => key),
      threshold,
    }),
  );
const withLines = (...lines: string[]) =>
  JSON.stringify({ ...(JSON.parse(bundle) as object), log: log + lines.join('') });
const time = issuedAt + 2n;

describe('a witness that cosigns at an impossible time', () => {
  it.each([
    ['0', 0n],
    ['a second after the last of Date', 8_640_000_000_001n],
    ['2^53-1', 2n ** 53n - 1n],
    ['2^64-1', 2n ** 64n - 1n],
  ])('has not cosigned: %s', (_name, wrong) => {
    const source = withLines(w1.cosign(wrong), w2.cosign(time), w3.cosign(time));
    const { witnesses: found, witnessedAt } = verifyBundle(source, policyOf(2));
    expect(found.map(({ name }) => name)).toEqual(['w2', 'w3']);
    expect(witnessedAt).toBe(new Date(Number(time) * 1000).toISOString());
    expect(reasonOf(() => verifyBundle(source, policyOf(3)))).toBe('quorum');
  });

  it('makes the checkpoint invalid if its signature is, as at any other time', () => {
    const source = withLines(w1.cosign(2n ** 60n, time), w2.cosign(time), w3.cosign(time));
    expect(reasonOf(() => verifyBundle(source, policyOf(2)))).toBe('checkpoint');
  });

  it('has cosigned at the last second of Date', () => {
    const { witnesses: found } = verifyBundle(
      withLines(w1.cosign(8_640_000_000_000n)),
      policyOf(1),
    );
    expect(found).toEqual([{ name: 'w1', time: '+275760-09-13T00:00:00.000Z' }]);
  });
});

/** A point of small order in the form of a key. */
const UNUSABLE_PEM = pemOf(new Uint8Array(32));

describe('the keys of a bundle', () => {
  const withKeys = (keys: object[]) => JSON.stringify({ ...(JSON.parse(bundle) as object), keys });
  const always = { notBefore: null, notAfter: null };
  const unusable = { keyId: '0'.repeat(16), publicKey: UNUSABLE_PEM };

  it('may be more than 16, of which none but those in force are parsed', () => {
    const past = { ...unusable, notBefore: null, notAfter: '2000-01-01T00:00:00.000Z' };
    const source = withKeys([
      ...Array.from({ length: 2_000 }, () => past),
      NEW_KEY.row,
      OLD_KEY.row,
    ]);
    expect(reasonOf(() => verifyBundle(source, policyOf(0)))).toBe('epoch');
  });

  it('are refused unparsed if more than 16 are in force', () => {
    const source = withKeys(Array.from({ length: 17 }, () => ({ ...unusable, ...always })));
    const failure = failureOf(() => verifyBundle(source, policyOf(0)));
    expect([failure?.reason, failure?.detail]).toEqual([
      'public_key',
      '17 keys were in force, which is more than 16',
    ]);
  });

  it('must have one in force', () => {
    expect(reasonOf(() => verifyBundle(withKeys([]), policyOf(0)))).toBe('no_key');
  });
});
