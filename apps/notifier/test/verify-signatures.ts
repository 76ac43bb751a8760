import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ReceivedRequest } from '@witan/testing';

/**
 * Returns true if the signature matches the raw body. As in a receiver, the bytes are verified
 * before they are parsed.
 */
export const isSigned = ({ headers, body }: ReceivedRequest, secret: string): boolean => {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const actualSignature = Buffer.from(String(headers['x-service-signature']));
  return (
    actualSignature.length === expected.length &&
    timingSafeEqual(actualSignature, Buffer.from(expected))
  );
};

export const isStandardSigned = ({ headers, body }: ReceivedRequest, secret: string): boolean => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signedPrefix = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const expected = createHmac('sha256', key).update(signedPrefix).update(body).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${expected}`);
};
