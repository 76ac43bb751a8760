import { isUnfinished } from './stored-response.ts';
import type { FoundResponse, ResponseStore } from './stored-response.ts';

/** Time beyond the longest call after which a response that is still queued counts as lost. */
const LOST_MARGIN_MS = 60_000;

type Finder = Pick<ResponseStore, 'find' | 'findChain'>;

/**
 * Returns a finder that returns a response whose process stopped before it ended as one that
 * failed. `timeoutMs` is the time that the longest call takes, `clock` returns epoch milliseconds.
 */
export const readLostAsFailed = (
  { find, findChain }: Finder,
  { timeoutMs, clock }: { timeoutMs: number; clock: () => number },
): Finder => {
  const read = <Stored extends FoundResponse>(stored: Stored): Stored => {
    const { response } = stored;
    const lostAtMs = Number(response.created_at) * 1_000 + timeoutMs + LOST_MARGIN_MS;
    const isLost = isUnfinished(response) && lostAtMs < clock();
    return isLost ? { ...stored, response: { ...response, ...FAILURE } } : stored;
  };
  return {
    find: async (...query) => {
      const stored = await find(...query);
      return stored && read(stored);
    },
    findChain: async (...query) => (await findChain(...query))?.map(read),
  };
};

const FAILURE = {
  status: 'failed',
  error: { code: 'server_error', message: 'The gateway stopped before the response ended.' },
};
