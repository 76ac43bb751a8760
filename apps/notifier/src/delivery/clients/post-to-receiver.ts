import { createGuardedClient } from '@witan/service-kit';
import type { GuardedClientOptions } from '@witan/service-kit';
import type { PostToReceiver } from '../send-attempt.ts';
import { parseRetryAfter } from './parse-retry-after.ts';

/** Timeout of one attempt, from the DNS lookup to the end of the response. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Maximum number of bytes of a response body that are read; the body is discarded. */
const RESPONSE_BYTES_MAX = 4_096;
/** Statuses whose `Retry-After` is honored: Too Many Requests and Service Unavailable. */
const RETRY_LATER = new Set([429, 503]);

export const createPostToReceiver = ({
  timeoutMs,
  clock,
  ...options
}: GuardedClientOptions & { timeoutMs: number; clock: () => Date }): {
  post: PostToReceiver;
  close: () => Promise<void>;
} => {
  const client = createGuardedClient(options);
  return {
    post: async ({ webhookId, ...call }) => {
      const response = await client.post({
        ...call,
        // Each webhook has its own connection pool, so that a receiver that hangs does not use up
        // the connections of other webhooks.
        scope: webhookId,
        timeoutMs,
        bodyBytesMax: RESPONSE_BYTES_MAX,
        oversizedBody: 'truncate',
      });
      if (response.ok) return { statusCode: response.status, error: null };
      const { status = 0, failure: error, retryAfter } = response;
      const retryAfterMs =
        retryAfter !== undefined && RETRY_LATER.has(status)
          ? parseRetryAfter(retryAfter, clock())
          : undefined;
      return { statusCode: status, error, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    },
    close: client.close,
  };
};
