import { cancelled, isServiceError } from '@witan/contracts';

const RETRY_DELAY_MS = 1_000;
/**
 * Maximum number of consecutive attempts to find another replica, one a second. After a crash,
 * another replica resumes the debate when its lease of 30 s has expired.
 */
const RETRIES_MAX = 60;

/**
 * Yields the events of a stream. If the replica that emits them becomes unavailable, requests the
 * following events from another replica. Rejects if none is available for a minute, and at once on
 * any other error. Before the first event, every error rejects at once, because it is unknown
 * whether the stream has begun. Without `isLast` a stream has no last event.
 */
export async function* followAcrossReplicas<E>(
  first: AsyncIterable<E>,
  followAfter: (last: E) => AsyncIterable<E>,
  { signal, isLast = () => false }: { signal: AbortSignal; isLast?: (event: E) => boolean },
): AsyncGenerator<E> {
  let events = first;
  let last: E | undefined;
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
    events = followAfter(last);
  }
}

const isUnavailable = (error: unknown): boolean =>
  isServiceError(error) && error.reason === 'UNAVAILABLE';

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
