import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Received } from '@witan/testing';

/** Verifies like a receiver: over the raw bytes, before they are parsed. */
export const isSigned = ({ headers, body }: Received, secret: string): boolean => {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const given = Buffer.from(String(headers['x-service-signature']));
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
};

/** Verifies like Standard Webhooks: one of the signatures must match this secret. */
export const isStandardSigned = ({ headers, body }: Received, secret: string): boolean => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const head = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const expected = createHmac('sha256', key).update(head).update(body).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${expected}`);
};
