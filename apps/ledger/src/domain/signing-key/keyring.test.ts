import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openKeyring } from './keyring.ts';
import type { KeyChange, KeyringStatus, KeyStore } from './keyring.ts';
import { createSigner, parseSigners } from './signer.ts';
import type { Signer } from './signer.ts';

const newPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const [old, next, third] = [1, 2, 3].map(() =>
  createSigner(generateKeyPairSync('ed25519').privateKey),
) as [Signer, Signer, Signer];

const createStore = (): KeyStore => {
  const known: { keyId: string; publicKey: string; notBefore: Date }[] = [];
  return {
    makeCurrent: async ({ keyId, publicKey }): Promise<KeyChange> => {
      if (known.at(-1)?.keyId === keyId) return 'already current';
      if (known.some((key) => key.keyId === keyId)) return 'retired';
      known.push({ keyId, publicKey, notBefore: new Date(known.length) });
      return known.length === 1 ? 'first key' : 'rotated';
    },
    findCurrent: async () => known.at(-1) && { ...known.at(-1)!, notAfter: null },
  };
};

describe('a keyring', () => {
  let store: KeyStore;
  let statuses: KeyringStatus[];
  const open = (...signers: Signer[]) =>
    openKeyring(signers, store, (status) => statuses.push(status));
  beforeEach(() => {
    store = createStore();
    statuses = [];
  });

  it('puts its first key in force', async () => {
    await open(old);
    const keys = await open(next, old);
    expect(keys.inForce()).toEqual({ signer: next, notBefore: new Date(1) });
    expect(statuses).toEqual([
      { held: [old.keyId], inForce: old.keyId, change: 'first key' },
      { held: [next.keyId, old.keyId], inForce: next.keyId, change: 'rotated' },
    ]);
  });

  it('signs with the key in force when its first key is retired', async () => {
    await open(old);
    await open(next);
    await open(third);
    const keys = await open(old, next, third);
    expect(keys.inForce()).toMatchObject({ signer: third });
    expect(statuses.at(-1)).toMatchObject({ inForce: third.keyId, change: 'retired' });
  });

  it('switches each time another replica puts a key in force', async () => {
    const keys = await open(old, next, third);
    await open(next, old);
    expect(keys.inForce()).toMatchObject({ signer: old });
    expect(await keys.renew()).toMatchObject({ signer: next });
    await open(third, next);
    await keys.check();
    expect(keys.inForce()).toEqual({ signer: third, notBefore: new Date(2) });
    expect(statuses.at(-1)).toMatchObject({ inForce: third.keyId, change: 'taken up' });
  });

  it('has no key in force after another replica puts an unknown key in force', async () => {
    const keys = await open(old);
    await open(next);
    expect([await keys.renew(), await keys.renew()]).toEqual([undefined, undefined]);
    expect(keys.inForce()).toBeUndefined();
    await expect(keys.check()).rejects.toThrow(old.keyId);
    expect(statuses.slice(2)).toEqual([
      { held: [old.keyId], inForce: undefined, change: 'retired' },
    ]);
  });

  it('cannot be opened with retired keys only, and lists them', async () => {
    await open(old);
    await open(next);
    await expect(open(old)).rejects.toThrow(old.keyId);
  });
});

describe('a file of signing keys', () => {
  const [one, two] = [newPem(), newPem()];
  const idsOf = (text: string): string[] => parseSigners(text).map(({ keyId }) => keyId);
  const [oneId] = idsOf(one);
  const [twoId] = idsOf(two);

  it.each([
    ['one after the other', one + two],
    ['without a line break between them', one.trimEnd() + two],
    ['with CRLF line breaks and text around them', `a\r\n${(one + two).replaceAll('\n', '\r\n')}b`],
  ])('may contain several keys %s', (_case, text) => {
    expect(idsOf(text)).toEqual([oneId, twoId]);
  });

  it.each([
    ['nothing', ''],
    ['text that is not PEM', 'key'],
    ['a truncated key', one + two.slice(0, 60)],
    ['a public key', one + parseSigners(two)[0]!.publicKey],
  ])('may not contain %s', (_case, text) => {
    expect(() => idsOf(text)).toThrow('WITAN_SIGNING_KEY_FILE');
  });

  it('may not contain another kind of key', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const text = ec.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => idsOf(one + text)).toThrow('must be an Ed25519 private key');
  });
});
