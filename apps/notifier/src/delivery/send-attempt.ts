import type { AttemptResult } from './delivery.ts';
import { signAttempt } from './sign-attempt.ts';
import type { SignableAttempt } from './sign-attempt.ts';

/**
 * Posts a request to a receiver. Resolves with a result even if the receiver cannot be reached or
 * misbehaves. Rejects only if the signal aborts.
 */
export type PostToReceiver = (call: {
  url: string;
  webhookId: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal?: AbortSignal;
}) => Promise<AttemptResult>;

export type Attempt = Omit<SignableAttempt, 'now'> & {
  url: string;
  webhookId: string;
  signal?: AbortSignal;
};

export type SendAttempt = (attempt: Attempt) => Promise<AttemptResult>;

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
