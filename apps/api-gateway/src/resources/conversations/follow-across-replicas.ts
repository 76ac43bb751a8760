import { ValidationError } from '../../http/encode-native-error.ts';
import type { JsonSchema, RouteCall } from '../../http/route.ts';
import { cancelled, isServiceError } from '@witan/contracts';
import type { DebateEvent } from '@witan/contracts';

const RETRY_DELAY_MS = 1_000;
/**
 * Maximum number of consecutive attempts to find another replica, one a second. After a crash,
 * another replica resumes the debate when its lease of 30 s has expired.
 */
const RETRIES_MAX = 60;

/**
 * Yields the events of a debate. If the replica that emits them becomes unavailable, requests the
 * following events from another replica. Rejects if none is available for a minute, and at once on
 * any other error. Before the first event, every error rejects at once, because it is unknown
 * whether the debate has begun.
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

export type DebatePosition = { debateId: string; afterSeq: number };

const HEADER = 'Last-Event-ID';

const LAST_EVENT_ID = /^(dbt_[0-9A-Za-z]{1,64}):(0|[1-9]\d{0,9})$/;

const SEQ_MAX = 2 ** 32 - 1;

export const LAST_EVENT_ID_HEADER: Readonly<Record<string, JsonSchema>> = {
  [HEADER]: {
    type: 'string',
    pattern: '^(dbt_[0-9A-Za-z]{1,64}:(0|[1-9][0-9]{0,9}))?$',
    description:
      '`id` of the last event that came, `<debateId>:<seq>`: tells what came after it, in place ' +
      'of beginning a debate',
  },
};

export const toEventId = ({ debateId, seq }: { debateId: string; seq: number }): string =>
  `${debateId}:${seq}`;

export const readLastEventId = ({
  request,
}: Pick<RouteCall, 'request'>): DebatePosition | undefined => {
  const text = request.get(HEADER);
  if (!text) return undefined;
  const [, debateId, seq] = LAST_EVENT_ID.exec(text) ?? [];
  if (debateId === undefined || Number(seq) > SEQ_MAX) {
    throw new ValidationError([{ path: HEADER, message: 'is not the id of an event' }]);
  }
  return { debateId, afterSeq: Number(seq) };
};
