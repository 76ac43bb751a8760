import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openKeyring } from './keyring.ts';
import type { KeyChange, KeyringStatus, KeyStore } from './keyring.ts';
import { createSigner, parseSigners } from './signer.ts';
import type { Signer } from './signer.ts';

const newPem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const [oldSigner, nextSigner, thirdSigner] = [1, 2, 3].map(() =>
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
    await open(oldSigner);
    const keys = await open(nextSigner, oldSigner);
    expect(keys.currentKey()).toEqual({ signer: nextSigner, notBefore: new Date(1) });
    expect(statuses).toEqual([
      { loadedKeyIds: [oldSigner.keyId], currentKeyId: oldSigner.keyId, change: 'first key' },
      {
        loadedKeyIds: [nextSigner.keyId, oldSigner.keyId],
        currentKeyId: nextSigner.keyId,
        change: 'rotated',
      },
    ]);
  });

  it('signs with the key in force when its first key is retired', async () => {
    await open(oldSigner);
    await open(nextSigner);
    await open(thirdSigner);
    const keys = await open(oldSigner, nextSigner, thirdSigner);
    expect(keys.currentKey()).toMatchObject({ signer: thirdSigner });
    expect(statuses.at(-1)).toMatchObject({ currentKeyId: thirdSigner.keyId, change: 'retired' });
  });

  it('switches each time another replica puts a key in force', async () => {
    const keys = await open(oldSigner, nextSigner, thirdSigner);
    await open(nextSigner, oldSigner);
    expect(keys.currentKey()).toMatchObject({ signer: oldSigner });
    expect(await keys.renew()).toMatchObject({ signer: nextSigner });
    await open(thirdSigner, nextSigner);
    await keys.check();
    expect(keys.currentKey()).toEqual({ signer: thirdSigner, notBefore: new Date(2) });
    expect(statuses.at(-1)).toMatchObject({ currentKeyId: thirdSigner.keyId, change: 'switched' });
  });

  it('has no key in force after another replica puts an unknown key in force', async () => {
    const keys = await open(oldSigner);
    await open(nextSigner);
    expect([await keys.renew(), await keys.renew()]).toEqual([undefined, undefined]);
    expect(keys.currentKey()).toBeUndefined();
    await expect(keys.check()).rejects.toThrow(oldSigner.keyId);
    expect(statuses.slice(2)).toEqual([
      { loadedKeyIds: [oldSigner.keyId], currentKeyId: undefined, change: 'retired' },
    ]);
  });

  it('cannot be opened with retired keys only, and lists them', async () => {
    await open(oldSigner);
    await open(nextSigner);
    await expect(open(oldSigner)).rejects.toThrow(oldSigner.keyId);
  });
});

describe('a file of signing keys', () => {
  const [firstPem, secondPem] = [newPem(), newPem()];
  const idsOf = (text: string): string[] => parseSigners(text).map(({ keyId }) => keyId);
  const [oneId] = idsOf(firstPem);
  const [secondId] = idsOf(secondPem);

  it.each([
    ['one after the other', firstPem + secondPem],
    ['without a line break between them', firstPem.trimEnd() + secondPem],
    [
      'with CRLF line breaks and text around them',
      `a\r\n${(firstPem + secondPem).replaceAll('\n', '\r\n')}b`,
    ],
  ])('may contain several keys %s', (_case, text) => {
    expect(idsOf(text)).toEqual([oneId, secondId]);
  });

  it.each([
    ['nothing', ''],
    ['text that is not PEM', 'key'],
    ['a truncated key', firstPem + secondPem.slice(0, 60)],
    ['a public key', firstPem + parseSigners(secondPem)[0]!.publicKey],
  ])('may not contain %s', (_case, text) => {
    expect(() => idsOf(text)).toThrow('WITAN_SIGNING_KEY_FILE');
  });

  it('may not contain another kind of key', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const text = ec.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => idsOf(firstPem + text)).toThrow('must be an Ed25519 private key');
  });
});
