import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hashCall } from './idempotency-key.ts';

const CALL = {
  keyId: 'key_1',
  method: 'POST',
  url: '/v1/messages?beta=true',
  source: Buffer.from('{"a":1}'),
};

describe('hashCall', () => {
  it('is the SHA-256 of key, method, path with query, and body', () => {
    const expected = hash('sha256', 'key_1\nPOST\n/v1/messages?beta=true\n{"a":1}', 'hex');
    expect(hashCall(CALL)).toBe(expected);
  });

  it.each([
    ['API key', { keyId: 'key_2' }],
    ['method', { method: 'PUT' }],
    ['path', { url: '/v1/message?beta=true' }],
    ['query', { url: '/v1/messages' }],
    ['body, by a space', { source: Buffer.from('{"a": 1}') }],
  ])('differs with the %s', (_name, change) => {
    expect(hashCall({ ...CALL, ...change })).not.toBe(hashCall(CALL));
  });
});
