import { cancelled, isServiceError } from '@witan/contracts';
import type { DebateEvent } from '@witan/contracts';
import type { DebatePosition } from './read-last-event-id.ts';

const RETRY_DELAY_MS = 1_000;
/**
 * Number of attempts to find another replica, one a second. After a crash, another replica resumes
 * the debate when its lease of 30 s has expired.
 */
const RETRIES_MAX = 60;

/**
 * Yields the events of a debate. If the replica that emits them becomes unavailable, requests the
 * following events from another replica. Rejects if none is available for a minute, or at once if
 * no event has arrived, because it is then unknown whether the debate has begun.
 */
export async function* followAcrossReplicas(
  first: AsyncIterable<DebateEvent>,
  follow: (position: DebatePosition) => AsyncIterable<DebateEvent>,
  signal: AbortSignal,
): AsyncGenerator<DebateEvent> {
  let events = first;
  let last: DebateEvent | undefined;
  let retries = 0;
  for (;;) {
    try {
      for await (const event of events) {
        last = event;
        retries = 0;
        yield event;
      }
      return;
    } catch (error) {
      if (!last || !isUnavailable(error) || retries === RETRIES_MAX) throw error;
      if (isLast(last)) return;
    }
    retries += 1;
    await waitBeforeRetry(signal);
    events = follow({ debateId: last.debateId, afterSeq: last.seq });
  }
}

const isUnavailable = (error: unknown): boolean =>
  isServiceError(error) && error.reason === 'UNAVAILABLE';

const isLast = ({ event }: DebateEvent): boolean =>
  event.case === 'done' || event.case === 'failed';

const waitBeforeRetry = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cancelled());
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(cancelled());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, RETRY_DELAY_MS);
    return signal.addEventListener('abort', onAbort, { once: true });
  });
