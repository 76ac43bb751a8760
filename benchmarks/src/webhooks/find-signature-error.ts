import { createHmac } from 'node:crypto';

/** A recorded POST: its headers, with names in lower case, and its raw body. */
export type Sample = {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
};

/** Returns why a POST's signatures are invalid, or undefined if they are valid. */
export const findSignatureError = (
  { headers, body }: Sample,
  secret: string,
): string | undefined => {
  const own = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (headers['x-service-signature'] !== own) return 'X-Service-Signature is not of the secret';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const head = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const standard = createHmac('sha256', key).update(head).update(body).digest('base64');
  if (String(headers['webhook-signature']).split(' ').includes(`v1,${standard}`)) return undefined;
  return 'webhook-signature is not of the secret';
};
