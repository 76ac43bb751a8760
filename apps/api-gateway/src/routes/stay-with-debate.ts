import { cancelled, isServiceError } from '@witan/contracts';
import type { DebateEvent } from '@witan/contracts';
import type { DebatePosition } from './read-last-event-id.ts';

/** How long to wait before the debate is looked for again, in milliseconds. */
const RETURN_EVERY_MS = 1_000;
/** A debate whose replica was killed goes on elsewhere when its lease of 30 s is over. */
const RETURNS_MAX = 60;

/**
 * The events of a debate. It does not end with the replica that tells of it: when that goes away,
 * another is asked for what came after. Rejects when none is there for a minute, and at once when
 * there was no event yet: nobody knows then whether the debate has begun.
 */
export async function* stayWithDebate(
  first: AsyncIterable<DebateEvent>,
  follow: (position: DebatePosition) => AsyncIterable<DebateEvent>,
  signal: AbortSignal,
): AsyncGenerator<DebateEvent> {
  let events = first;
  let last: DebateEvent | undefined;
  let returns = 0;
  for (;;) {
    try {
      for await (const event of events) {
        last = event;
        returns = 0;
        yield event;
      }
      return;
    } catch (error) {
      if (!last || !isAway(error) || returns === RETURNS_MAX) throw error;
      if (isLast(last)) return;
    }
    returns += 1;
    await pause(signal);
    events = follow({ debateId: last.debateId, afterSeq: last.seq });
  }
}

const isAway = (error: unknown): boolean => isServiceError(error) && error.reason === 'UNAVAILABLE';

const isLast = ({ event }: DebateEvent): boolean =>
  event.case === 'done' || event.case === 'failed';

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cancelled());
    const leave = (): void => {
      clearTimeout(timer);
      reject(cancelled());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, RETURN_EVERY_MS);
    return signal.addEventListener('abort', leave, { once: true });
  });
