import type { AttemptResult } from './delivery.ts';
import { signAttempt } from './sign-attempt.ts';
import type { AttemptHead } from './sign-attempt.ts';

/**
 * Posts to a URL that a user chose. Every behaviour of the receiver is a result; rejects only when
 * the signal aborts or on a bug.
 */
export type PostToReceiver = (call: {
  url: string;
  webhookId: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal?: AbortSignal;
}) => Promise<AttemptResult>;

export type Attempt = Omit<AttemptHead, 'now'> & {
  url: string;
  webhookId: string;
  signal?: AbortSignal;
};

/** Signs and posts one attempt of a delivery or a test. */
export type SendAttempt = (attempt: Attempt) => Promise<AttemptResult>;

/** `clock` provides `webhook-timestamp`. */
export const createSendAttempt =
  ({ post, clock }: { post: PostToReceiver; clock: () => Date }): SendAttempt =>
  ({ url, webhookId, signal, ...head }) =>
    post({
      url,
      webhookId,
      headers: signAttempt({ ...head, now: clock() }),
      body: head.body,
      ...(signal ? { signal } : {}),
    });
