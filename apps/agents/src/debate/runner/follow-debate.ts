import { setTimeout as pause } from 'node:timers/promises';
import { isServiceError, notFound, unavailable } from '@witan/contracts';
import type { LocalDebates } from './local-debates.ts';
import type { DebateEvent } from '../record/debate-event.ts';
import type { DebateArchive } from '../record/debate-store.ts';
import type { DebateDelta } from './local-debates.ts';

export type DebateUpdate =
  | { kind: 'event'; event: DebateEvent }
  | ({ kind: 'delta' } & SequencedDelta);

/**
 * Delta in the event stream of a debate; its `seq` is between those of the previous and the next
 * event.
 */
type SequencedDelta = DebateDelta & { debateId: string; seq: number };

export type FollowDebateDeps = {
  archive: Pick<DebateArchive, 'find' | 'readEvents'>;
  localDebates: Pick<LocalDebates, 'watch' | 'isRunning'>;
  pollEveryMs?: number;
  retryDelaysMs?: readonly number[];
};

const POLL_EVERY_MS = 250;
/** Delays before the retries of a read of events that failed with UNAVAILABLE. */
const RETRY_DELAYS_MS = [50, 250, 1_000];
/**
 * Distance between the stream numbers of two successive stored events; the numbers between are for
 * deltas.
 */
const SEQ_STEP = 65_536;

export const toStreamSeq = (storedSeq: number): number => storedSeq * SEQ_STEP;

/** Returns the stored number of the last event at or before a stream number. */
const toStoredSeq = (seq: number): number => Math.floor(seq / SEQ_STEP);

/**
 * Yields the events of a debate after `afterSeq` until its end. Events are read from storage, so
 * that any process can serve them after a crash: at the start, when a runner in this process has
 * stored some, and at intervals while no runner of this process has a valid lease. Deltas of the
 * agents' answers are yielded only in the runner's process and never repeated. Throws NOT_FOUND if
 * the debate is missing or deleted, the reason of `signal` if it aborts, and UNAVAILABLE if this
 * process stops or storage is still unavailable after `retryDelaysMs`; the client can then follow
 * the debate on another replica.
 */
export async function* followDebate(
  { workspaceId, debateId, afterSeq, wantsDeltas }: FollowPosition,
  { signal, stopping }: FollowSignals,
  { archive, localDebates, pollEveryMs = POLL_EVERY_MS, retryDelaysMs }: FollowDebateDeps,
): AsyncGenerator<DebateUpdate> {
  const ended = AbortSignal.any([signal, stopping]);
  const queue = createUpdateQueue(ended);
  const readEvents = (afterStoredSeq: number) =>
    retryUnavailable(() => archive.readEvents(workspaceId, debateId, afterStoredSeq), {
      signal: ended,
      delaysMs: retryDelaysMs ?? RETRY_DELAYS_MS,
    });
  const pollTimer = setInterval(
    () => localDebates.isRunning(debateId) || queue.requestRead(),
    pollEveryMs,
  );
  const stopWatching = localDebates.watch(debateId, {
    onStored: queue.requestRead,
    onDelta: wantsDeltas ? queue.addDelta : undefined,
  });
  const endedAnswers = new Set<string>();
  try {
    const found = await archive.find(workspaceId, debateId);
    if (!found) throw noSuchDebate();
    const hasEnded = found.state !== 'running';
    // With a number that does not exist yet, a follower would skip events and could wait forever;
    // of an ended debate it gets the end.
    const endSeq = toStreamSeq(found.lastSeq);
    let seq = Math.min(afterSeq, toStreamSeq(found.lastSeq + 1) - 1);
    if (hasEnded && seq > endSeq) seq = endSeq - 1;
    let storedSeq = toStoredSeq(seq);
    for (;;) {
      const { deltas, isReadRequired } = queue.take();
      for (const delta of deltas) {
        if (endedAnswers.has(keyOf(delta))) continue;
        if (seq + 1 === toStreamSeq(storedSeq + 1)) continue;
        seq += 1;
        yield { kind: 'delta', debateId, seq, ...delta };
      }
      const events = isReadRequired ? await readEvents(storedSeq) : [];
      if (!events) throw noSuchDebate();
      for (const event of events) {
        storedSeq = event.seq;
        seq = toStreamSeq(storedSeq);
        const isAnswered = event.kind === 'agent-completed' || event.kind === 'agent-failed';
        if (isAnswered) endedAnswers.add(keyOf(event));
        // The synthesis is validated before a client sees it, so it is emitted as a single delta.
        if (wantsDeltas && !hasEnded && event.kind === 'synthesis-completed') {
          const { debateId: id, roundNumber, agentId, message } = event;
          const piece = { debateId: id, roundNumber, agentId, text: message.content };
          yield { kind: 'delta', seq: seq - 1, ...piece };
        }
        yield { kind: 'event', event };
        if (event.kind === 'done' || event.kind === 'failed') return;
      }
      if (hasEnded && events.length === 0) return;
      if (events.length === 0) await queue.wait();
      signal.throwIfAborted();
      if (stopping.aborted) throw unavailable('The service stops; the debate goes on elsewhere.');
    }
  } finally {
    stopWatching();
    clearInterval(pollTimer);
    queue.close();
  }
}

/** `signal` aborts when the follower disconnects, `stopping` when this process stops. */
export type FollowSignals = { signal: AbortSignal; stopping: AbortSignal };

export type FollowPosition = {
  workspaceId: string;
  debateId: string;
  afterSeq: number;
  wantsDeltas: boolean;
};

export const noSuchDebate = () => notFound('There is no such debate in this workspace.');

/** Returns the result of `read`, which is retried after each delay while it is UNAVAILABLE. */
const retryUnavailable = async <T>(
  read: () => Promise<T>,
  { signal, delaysMs }: { signal: AbortSignal; delaysMs: readonly number[] },
): Promise<T> => {
  for (const delayMs of delaysMs) {
    try {
      return await read();
    } catch (error) {
      const isRetryable = isServiceError(error) && error.reason === 'UNAVAILABLE';
      if (!isRetryable || signal.aborted) throw error;
    }
    await pause(delayMs, undefined, { signal }).catch(() => {
      // An abort only ends the delay: the follower checks its signals after the read.
    });
  }
  return read();
};

const keyOf = ({ roundNumber, agentId }: { roundNumber: number; agentId: string }): string =>
  `${roundNumber} ${agentId}`;

const createUpdateQueue = (signal: AbortSignal) => {
  let deltas: DebateDelta[] = [];
  /** Initially true, so that events stored before the subscription are read. */
  let isReadRequired = true;
  let resume: (() => void) | undefined;
  const requestRead = (): void => {
    isReadRequired = true;
    resume?.();
  };
  signal.addEventListener('abort', requestRead, { once: true });
  return {
    requestRead,
    addDelta: (delta: DebateDelta): void => {
      const last = deltas.at(-1);
      if (last && keyOf(last) === keyOf(delta)) {
        deltas[deltas.length - 1] = { ...last, text: last.text + delta.text };
      } else deltas.push(delta);
      resume?.();
    },
    take: () => {
      const pendingUpdates = { deltas, isReadRequired };
      deltas = [];
      isReadRequired = false;
      return pendingUpdates;
    },
    wait: async (): Promise<void> => {
      if (isReadRequired || deltas.length > 0 || signal.aborted) return;
      await new Promise<void>((resolve) => (resume = resolve));
      resume = undefined;
    },
    close: (): void => signal.removeEventListener('abort', requestRead),
  };
};
