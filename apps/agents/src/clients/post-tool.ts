import { createGuardedClient } from '@witan/service-kit';
import type { GuardedClientOptions } from '@witan/service-kit';
import type { PostTool } from '../domain/tool/post-tool.ts';

/** From DNS to the end of the answer, in milliseconds (Seed 8). */
export const TOOL_TIMEOUT_MS = 15_000;
/** Longest answer, in bytes; a longer one is an error. */
const ANSWER_BYTES_MAX = 256 * 1024;

/** Posts through the guarded client; the body of a refusal is not read. */
export const createPostTool = ({
  timeoutMs,
  ...options
}: GuardedClientOptions & { timeoutMs: number }): {
  post: PostTool;
  close: () => Promise<void>;
} => {
  const client = createGuardedClient(options);
  return {
    post: async ({ toolId, ...call }) => {
      const answer = await client.post({
        ...call,
        // Connections of its own: one that hangs takes none from others at the same host.
        scope: toolId,
        timeoutMs,
        bodyBytesMax: ANSWER_BYTES_MAX,
        longBody: 'fail',
      });
      if (answer.ok) return { status: answer.status, body: answer.body };
      return { status: answer.status ?? null, failure: answer.failure };
    },
    close: client.close,
  };
};
