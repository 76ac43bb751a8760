import { createHmac } from 'node:crypto';
import type { AttemptResponse } from './delivery.ts';
import { decodeSecret } from '../webhook/webhook.ts';

/**
 * Posts a request to a receiver. Resolves with a result even if the receiver cannot be reached or
 * misbehaves. Rejects if the signal aborts, and with CANCELLED if the service stops.
 */
export type PostToReceiver = (call: {
  url: string;
  webhookId: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal?: AbortSignal;
}) => Promise<AttemptResponse>;

export type Attempt = Omit<SignableAttempt, 'now'> & {
  url: string;
  webhookId: string;
  signal?: AbortSignal;
};

export type SendAttempt = (attempt: Attempt) => Promise<AttemptResponse>;

export const createSendAttempt =
  ({ post, clock }: { post: PostToReceiver; clock: () => Date }): SendAttempt =>
  ({ url, webhookId, signal, ...signable }) =>
    post({
      url,
      webhookId,
      headers: signAttempt({ ...signable, now: clock() }),
      body: signable.body,
      ...(signal ? { signal } : {}),
    });

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
