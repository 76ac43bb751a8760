import { createHmac } from 'node:crypto';
import { decodeSecret } from '../webhook/webhook-secret.ts';

export type SignableAttempt = {
  event: string;
  deliveryId: string;
  attemptId: string;
  body: string;
  secrets: readonly string[];
  now: Date;
};

/**
 * Returns the headers of an attempt. `X-Service-Signature` is made with the current secret;
 * `webhook-signature` of Standard Webhooks has one signature for each secret, so that receivers can
 * verify either during a rotation.
 */
export const signAttempt = ({
  event,
  deliveryId,
  attemptId,
  body,
  secrets,
  now,
}: SignableAttempt): Readonly<Record<string, string>> => {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signed = `${deliveryId}.${timestamp}.${body}`;
  return {
    'X-Service-Event': event,
    'X-Service-Signature': `sha256=${hmac(secrets[0]!, body).digest('hex')}`,
    'X-Service-Delivery': attemptId,
    'User-Agent': 'Service-Webhooks/1.0',
    'Content-Type': 'application/json',
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .map((secret) => `v1,${hmac(decodeSecret(secret), signed).digest('base64')}`)
      .join(' '),
  };
};

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8');
