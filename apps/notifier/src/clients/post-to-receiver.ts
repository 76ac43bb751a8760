import { createGuardedClient } from '@witan/service-kit';
import type { GuardedClientOptions } from '@witan/service-kit';
import type { PostToReceiver } from '../domain/delivery/send-attempt.ts';

/** Covers everything from DNS to the end of the response, in milliseconds. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Limit of what is read of a response body; the body is discarded. */
const RESPONSE_BYTES_MAX = 4_096;

/** Posts through the guarded client; returns only the status or the class of the failure. */
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
        // Separate connections: a webhook that hangs takes none from others at the same host.
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
