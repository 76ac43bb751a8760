import { createGuardedClient } from '@witan/service-kit';
import type { GuardedClientOptions } from '@witan/service-kit';
import type { PostToReceiver } from '../domain/delivery/send-attempt.ts';

/** From DNS to the end of the answer, in milliseconds (Seed 6). */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** All that is read of an answer; nothing of it is kept. */
const ANSWER_BYTES_MAX = 4_096;

/** Posts through the guarded client; of an answer only the status is left. */
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
      const answer = await client.post({
        ...call,
        // Connections of its own: one that hangs takes none from others at the same host.
        scope: webhookId,
        timeoutMs,
        bodyBytesMax: ANSWER_BYTES_MAX,
        longBody: 'cut',
      });
      if (answer.ok) return { statusCode: answer.status, error: null };
      return { statusCode: answer.status ?? 0, error: answer.failure };
    },
    close: client.close,
  };
};
