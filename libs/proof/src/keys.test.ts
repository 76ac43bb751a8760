import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { failureOf, reasonOf } from '../test/reason-of.ts';
import { vectorText } from '../test/vector-file.ts';
import { NEW_KEY, OLD_KEY } from '../vectors/samples.ts';
import { keyIdOf, keysInForce, parseKeyList, parsePublicKeys, pemOf, rawKeyOf } from './keys.ts';

const answer = JSON.parse(vectorText('public-key.json')) as Record<string, unknown>;
const parseChanged = (change: object) => parsePublicKeys(JSON.stringify({ ...answer, ...change }));

describe('parsePublicKeys', () => {
  it('reads every key of the response with its window', () => {
    const keys = parsePublicKeys(vectorText('public-key.json'));
    expect(keys.map(({ keyId, notAfter }) => [keyId, notAfter])).toEqual([
      [OLD_KEY.row.keyId, '2026-03-01T00:00:00.000Z'],
      [NEW_KEY.row.keyId, null],
    ]);
  });

  it('treats a key without a window as always valid', () => {
    expect(parseChanged({ keys: undefined })).toMatchObject([{ notBefore: null, notAfter: null }]);
  });

  it.each<[string, object]>([
    ['an algorithm of another name', { algorithm: 'EdDSA' }],
    ['the id of another key', { keyId: '0'.repeat(16) }],
    [
      'a raw key that differs from the public key',
      { publicKeyRaw: Buffer.from(OLD_KEY.raw).toString('base64') },
    ],
    ['an empty list', { keys: [] }],
    [
      'a list row with the id of another key',
      { keys: [{ ...OLD_KEY.row, keyId: '0'.repeat(16) }] },
    ],
    ['a window that is not an instant', { keys: [{ ...OLD_KEY.row, notBefore: 'yesterday' }] }],
    ['a window without an end', { keys: [{ ...OLD_KEY.row, notAfter: undefined }] }],
    ['no key', { publicKey: undefined }],
  ])('refuses %s', (_name, change) => {
    expect(reasonOf(() => parseChanged(change))).toBe('public_key');
  });

  it.each([
    ['nothing', ''],
    ['a truncated response', '{"algorithm":'],
    ['base64 of 31 bytes', Buffer.alloc(31, 7).toString('base64')],
    [
      'base64 with its spare bits set',
      `${Buffer.from(OLD_KEY.raw).toString('base64').slice(0, -2)}/=`,
    ],
    ['the key of another curve', otherPem('x25519')],
    ['a private key', privatePem()],
    ['a point of small order', Buffer.alloc(32).toString('base64')],
    ['the neutral element of the group', Buffer.from([1, ...Buffer.alloc(31)]).toString('base64')],
    ['bytes that do not encode a point', Buffer.from([2, ...Buffer.alloc(31)]).toString('base64')],
  ])('refuses %s', (_name, text) => {
    expect(reasonOf(() => parsePublicKeys(text))).toBe('public_key');
  });

  it('describes the expected formats', () => {
    expect(failureOf(() => parsePublicKeys('x'))?.detail).toContain('PEM');
  });
});

describe('parseKeyList', () => {
  it('refuses a value that is not a list', () => {
    expect(reasonOf(() => parseKeyList({}))).toBe('public_key');
  });
});

describe('keysInForce', () => {
  const keys = parsePublicKeys(vectorText('public-key.json'));
  const [oldKey, nextKey] = keys;

  it.each([
    ['none before the first window', '2025-12-31T23:59:59.999Z', []],
    ['a key from its first instant', '2026-01-01T00:00:00.000Z', [oldKey]],
    ['both keys at the instant of rotation', '2026-03-01T00:00:00.000Z', [oldKey, nextKey]],
    ['the new key afterwards', '2026-03-01T00:00:00.001Z', [nextKey]],
  ])('returns %s', (_name, issuedAt, expected) => {
    expect(keysInForce(keys, issuedAt)).toEqual(expected);
  });
});

describe('PEM', () => {
  it('is compatible with node:crypto', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
    expect(pemOf(rawKeyOf(pem))).toBe(pem);
    expect(createPublicKey(pemOf(OLD_KEY.raw)).asymmetricKeyType).toBe('ed25519');
  });

  it('may have CRLF line ends and no final line end', () => {
    const pem = vectorText('public-key.pem').trim().replaceAll('\n', '\r\n');
    expect(keyIdOf(rawKeyOf(pem))).toBe(OLD_KEY.row.keyId);
  });
});

function otherPem(type: 'x25519'): string {
  return generateKeyPairSync(type).publicKey.export({ format: 'pem', type: 'spki' }) as string;
}

function privatePem(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
}
