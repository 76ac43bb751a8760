import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { failureOf, reasonOf } from '../test/reason-of.ts';
import { vectorText } from '../test/vector-file.ts';
import { NEW_KEY, OLD_KEY } from '../vectors/samples.ts';
import { keyIdOf, keysInForce, parseKeyList, parsePublicKeys, pemOf, rawKeyOf } from './keys.ts';

const answer = JSON.parse(vectorText('public-key.json')) as Record<string, unknown>;
const parseChanged = (change: object) => parsePublicKeys(JSON.stringify({ ...answer, ...change }));

describe('parsePublicKeys', () => {
  it('reads every key of the answer with its window', () => {
    const keys = parsePublicKeys(vectorText('public-key.json'));
    expect(keys.map(({ keyId, notAfter }) => [keyId, notAfter])).toEqual([
      [OLD_KEY.row.keyId, '2026-03-01T00:00:00.000Z'],
      [NEW_KEY.row.keyId, null],
    ]);
  });

  it('lets a key without a window count for all time', () => {
    expect(parseChanged({ keys: undefined })).toMatchObject([{ notBefore: null, notAfter: null }]);
  });

  it.each<[string, object]>([
    ['an algorithm of another name', { algorithm: 'EdDSA' }],
    ['the id of another key', { keyId: '0'.repeat(16) }],
    [
      'a raw key that is another one',
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
    ['half an answer', '{"algorithm":'],
    ['base64 of 31 bytes', Buffer.alloc(31, 7).toString('base64')],
    [
      'base64 with its spare bits set',
      `${Buffer.from(OLD_KEY.raw).toString('base64').slice(0, -2)}/=`,
    ],
    ['the key of another curve', otherPem('x25519')],
    ['a private key', privatePem()],
    ['a point of small order', Buffer.alloc(32).toString('base64')],
    ['the zero of the group', Buffer.from([1, ...Buffer.alloc(31)]).toString('base64')],
    ['bytes that are no point', Buffer.from([2, ...Buffer.alloc(31)]).toString('base64')],
  ])('refuses %s', (_name, text) => {
    expect(reasonOf(() => parsePublicKeys(text))).toBe('public_key');
  });

  it('says what it expected', () => {
    expect(failureOf(() => parsePublicKeys('x'))?.detail).toContain('PEM');
  });
});

describe('parseKeyList', () => {
  it('refuses what is not a list', () => {
    expect(reasonOf(() => parseKeyList({}))).toBe('public_key');
  });
});

describe('keysInForce', () => {
  const keys = parsePublicKeys(vectorText('public-key.json'));
  const [old, next] = keys;

  it.each([
    ['before every window', '2025-12-31T23:59:59.999Z', []],
    ['at the first instant', '2026-01-01T00:00:00.000Z', [old]],
    ['at the change', '2026-03-01T00:00:00.000Z', [old, next]],
    ['after it', '2026-03-01T00:00:00.001Z', [next]],
  ])('chooses %s', (_name, issuedAt, expected) => {
    expect(keysInForce(keys, issuedAt)).toEqual(expected);
  });
});

describe('PEM', () => {
  it('is the one that node:crypto writes and reads', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ format: 'pem', type: 'spki' }) as string;
    expect(pemOf(rawKeyOf(pem))).toBe(pem);
    expect(createPublicKey(pemOf(OLD_KEY.raw)).asymmetricKeyType).toBe('ed25519');
  });

  it('may have other line ends and no last one', () => {
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
