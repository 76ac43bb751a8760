import { createHmac, timingSafeEqual } from 'node:crypto';

/** `body` must be the raw bytes of the request. Verify them before parsing. */
export const isFromWitan = (body: Uint8Array, signature: string, secret: string): boolean => {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  const expected = Buffer.from(`sha256=${hex}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
};
