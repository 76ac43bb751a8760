import { createHmac } from 'node:crypto';
import { decodeSecret } from '../webhook/webhook-secret.ts';

/** What an attempt says about itself. */
export type AttemptHead = {
  event: string;
  /** The delivery's id: the same in all of its attempts. */
  deliveryId: string;
  /** A UUID of this attempt alone. */
  attemptId: string;
  body: string;
  /** The current secret first, then one that it replaces. */
  secrets: readonly string[];
  now: Date;
};

/**
 * The headers of an attempt: those of the contract (Seed 5 rule 5, Seed 6), signed with the current
 * secret, and those of Standard Webhooks, which also know the secret before it.
 */
export const signAttempt = ({
  event,
  deliveryId,
  attemptId,
  body,
  secrets,
  now,
}: AttemptHead): Readonly<Record<string, string>> => {
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
