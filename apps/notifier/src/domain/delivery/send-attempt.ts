import type { AttemptResult } from './delivery.ts';
import { signAttempt } from './sign-attempt.ts';
import type { AttemptHead } from './sign-attempt.ts';

/**
 * Posts to a user-given URL. Whatever the receiver does is a result; rejects only when the signal
 * aborts, and with bugs.
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

/** Makes one attempt: signs and posts. Deliveries and tests are sent by the same. */
export type SendAttempt = (attempt: Attempt) => Promise<AttemptResult>;

/** `clock` is what receivers compare `webhook-timestamp` with. */
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
