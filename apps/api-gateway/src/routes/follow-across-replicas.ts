import { cancelled, isServiceError } from '@witan/contracts';
import type { DebateEvent } from '@witan/contracts';
import type { DebatePosition } from './read-last-event-id.ts';

const RETRY_DELAY_MS = 1_000;
/** A debate whose replica was killed resumes elsewhere after its lease of 30 s. */
const RETRIES_MAX = 60;

/**
 * Yields the events of a debate. If the replica that emits them becomes unavailable, requests the
 * events after the last one from another replica. Rejects if none is available for a minute, and at
 * once if there was no event yet, because it is unknown then whether the debate has begun.
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
    await pause(signal);
    events = follow({ debateId: last.debateId, afterSeq: last.seq });
  }
}

const isUnavailable = (error: unknown): boolean =>
  isServiceError(error) && error.reason === 'UNAVAILABLE';

const isLast = ({ event }: DebateEvent): boolean =>
  event.case === 'done' || event.case === 'failed';

const pause = (signal: AbortSignal): Promise<void> =>
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
