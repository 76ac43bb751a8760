import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { findSignatureError } from './find-signature-error.ts';

const KEY = Buffer.from('a key of the receiver');
const SECRET = `whsec_${KEY.toString('base64')}`;
const BODY = Buffer.from('{"event":"debate.synthesized"}');

const sign = (body: Buffer) => {
  const standard = createHmac('sha256', KEY).update('dlv_1.1700000000.').update(body);
  return {
    'x-service-signature': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    'webhook-id': 'dlv_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,abc v1,${standard.digest('base64')}`,
  };
};

describe('findSignatureError', () => {
  it('accepts both signatures of the bytes with the secret', () => {
    expect(findSignatureError({ headers: sign(BODY), body: BODY }, SECRET)).toBeUndefined();
  });

  it.each([
    ['another body', { headers: sign(BODY), body: Buffer.from('{}') }, 'X-Service-Signature'],
    [
      'another delivery',
      { headers: { ...sign(BODY), 'webhook-id': 'dlv_2' }, body: BODY },
      'webhook-signature',
    ],
    ['no signature at all', { headers: {}, body: BODY }, 'X-Service-Signature'],
  ])('finds %s', (_name, sample, wanted) => {
    expect(findSignatureError(sample, SECRET)).toContain(wanted);
  });

  it('finds a wrong secret', () => {
    const other = findSignatureError({ headers: sign(BODY), body: BODY }, `${SECRET}x`);
    expect(other).toContain('X-Service-Signature');
  });
});
