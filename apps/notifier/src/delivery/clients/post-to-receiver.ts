import { createGuardedClient } from '@witan/service-kit';
import type { GuardedClientOptions } from '@witan/service-kit';
import type { PostToReceiver } from '../send-attempt.ts';

/** Timeout of one attempt, from the DNS lookup to the end of the response. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Maximum number of bytes of a response body that are read; the body is discarded. */
const RESPONSE_BYTES_MAX = 4_096;

export const createPostToReceiver = ({
  timeoutMs,
  ...options
}: GuardedClientOptions & { timeoutMs: number }): {
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
      return { statusCode: response.status ?? 0, error: response.failure };
    },
    close: client.close,
  };
};
