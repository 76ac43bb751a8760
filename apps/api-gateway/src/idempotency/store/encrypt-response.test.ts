import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSecretCipher } from '@witan/service-kit';
import { decryptResponse, encryptResponse } from './encrypt-response.ts';

const secretCipher = createSecretCipher(randomBytes(32).toString('base64'));
const RECORD_ID = { workspaceId: 'ws_a', key: 'k:1' };
const HEADERS = { 'content-type': 'application/json', 'x-service-proof': 'pf_1' };

describe('an encrypted response', () => {
  it.each<[string, Buffer]>([
    ['JSON', Buffer.from('{"text":"grüße\\n"}\n')],
    ['nothing', Buffer.alloc(0)],
    ['a byte order mark and a NUL', Buffer.from('\ufeff{}\0')],
    ['bytes that are no text', Buffer.from([0xff, 0x0a, 0xc3, 0x28])],
  ])('decrypts byte for byte: %s', (_name, body) => {
    const encrypted = encryptResponse({ headers: HEADERS, body }, RECORD_ID, secretCipher);
    const response = decryptResponse(encrypted, RECORD_ID, secretCipher);
    expect(response.headers).toEqual(HEADERS);
    expect(Buffer.from(response.body).equals(body)).toBe(true);
  });

  it('does not contain its text', () => {
    const body = Buffer.from('a very particular answer');
    const encrypted = encryptResponse({ headers: HEADERS, body }, RECORD_ID, secretCipher);
    const bytes = Buffer.from(encrypted.split('.')[1]!, 'base64url').toString('latin1');
    for (const text of [encrypted, bytes]) expect(text).not.toMatch(/particular|content-type|pf_1/);
  });

  it.each([
    ['workspace', { ...RECORD_ID, workspaceId: 'ws_b' }],
    ['key', { ...RECORD_ID, key: 'k:2' }],
  ])('does not decrypt for another %s', (_name, recordId) => {
    const encrypted = encryptResponse(
      { headers: HEADERS, body: Buffer.from('{}') },
      RECORD_ID,
      secretCipher,
    );
    expect(() => decryptResponse(encrypted, recordId, secretCipher)).toThrow('authenticate');
  });
});
