import { createGuardedClient } from '@witan/service-kit';
import type { GuardedClientOptions } from '@witan/service-kit';
import type { PostToWitness } from '../carry-submissions.ts';

/** Time that a witness has for its response; a slow one is left out. */
export const WITNESS_TIMEOUT_MS = 1_000;
/** Room for several cosignatures, also with ML-DSA-44 keys. */
const RESPONSE_BYTES_MAX = 16 * 1024;

export const createPostToWitness = (
  options: GuardedClientOptions,
): { post: PostToWitness; close: () => Promise<void> } => {
  const client = createGuardedClient(options);
  return {
    post: async ({ witness, url, body }) => {
      const response = await client.post({
        url,
        body,
        // A witness that hangs does not use up the connections of others.
        scope: witness,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        timeoutMs: WITNESS_TIMEOUT_MS,
        bodyBytesMax: RESPONSE_BYTES_MAX,
        oversizedBody: 'truncate',
        // A refusal has the size of the witness's log, or a sentence, in its body.
        answerStatuses: 'all',
      });
      const text = response.ok ? Buffer.from(response.body).toString() : '';
      return { witness, status: response.status ?? 0, body: text };
    },
    close: client.close,
  };
};
