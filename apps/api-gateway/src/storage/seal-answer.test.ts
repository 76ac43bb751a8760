import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSecretCipher } from '@witan/service-kit';
import { openAnswer, sealAnswer } from './seal-answer.ts';

const secretCipher = createSecretCipher(randomBytes(32).toString('base64'));
const PLACE = { workspaceId: 'ws_a', key: 'k:1' };
const HEADERS = { 'content-type': 'application/json', 'x-service-proof': 'pf_1' };

describe('a sealed answer', () => {
  it.each<[string, Buffer]>([
    ['JSON', Buffer.from('{"text":"grüße\\n"}\n')],
    ['nothing', Buffer.alloc(0)],
    ['a byte order mark and a NUL', Buffer.from('\ufeff{}\0')],
    ['bytes that are no text', Buffer.from([0xff, 0x0a, 0xc3, 0x28])],
  ])('comes back byte for byte: %s', (_name, body) => {
    const sealed = sealAnswer({ headers: HEADERS, body }, PLACE, secretCipher);
    const answer = openAnswer(sealed, PLACE, secretCipher);
    expect(answer.headers).toEqual(HEADERS);
    expect(Buffer.from(answer.body).equals(body)).toBe(true);
  });

  it('shows nothing of its text', () => {
    const body = Buffer.from('a very particular answer');
    const sealed = sealAnswer({ headers: HEADERS, body }, PLACE, secretCipher);
    const bytes = Buffer.from(sealed.split('.')[1]!, 'base64url').toString('latin1');
    for (const text of [sealed, bytes]) expect(text).not.toMatch(/particular|content-type|pf_1/);
  });

  it.each([
    ['workspace', { ...PLACE, workspaceId: 'ws_b' }],
    ['key', { ...PLACE, key: 'k:2' }],
  ])('does not open in the place of another %s', (_name, place) => {
    const sealed = sealAnswer({ headers: HEADERS, body: Buffer.from('{}') }, PLACE, secretCipher);
    expect(() => openAnswer(sealed, place, secretCipher)).toThrow('authenticate');
  });
});
