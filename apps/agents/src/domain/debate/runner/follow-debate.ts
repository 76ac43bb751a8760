import { notFound, unavailable } from '@witan/contracts';
import type { DebateBoard } from './debate-board.ts';
import type { DebateEvent } from '../record/debate-event.ts';
import type { DebateArchive } from '../record/debate-store.ts';
import type { DebateDelta } from './open-debate-runner.ts';

/** What a follower is told: events that are kept, and what agents are just saying. */
export type DebateUpdate =
  | { kind: 'event'; event: DebateEvent }
  | ({ kind: 'delta' } & SequencedDelta);

/** `seq` is above that of the event before it, and below that of the next. */
export type SequencedDelta = DebateDelta & { debateId: string; seq: number };

export type FollowDebateDeps = {
  archive: Pick<DebateArchive, 'find' | 'readEvents'>;
  board: Pick<DebateBoard, 'watch' | 'isRunning'>;
  /** How often it looks when another process holds the debate. */
  pollEveryMs?: number;
};

const POLL_EVERY_MS = 250;
/** Room between two kept events for the deltas that are told between them. */
const STEP = 65_536;

/** The number that a follower knows a kept event by: they leave room for deltas. */
export const toStreamSeq = (storedSeq: number): number => storedSeq * STEP;

/** The last kept event that somebody has seen who has seen this. */
export const toStoredSeq = (seq: number): number => Math.floor(seq / STEP);

/**
 * Tells what happened in a debate after `afterSeq`, and what happens, until its end. What is kept
 * is read from where it is kept, so that any process can tell it, after any crash; whoever holds
 * the debate in this process saves its followers the reading. Deltas come from this process and are
 * told once. NOT_FOUND when the debate is not there, or goes; UNAVAILABLE when this process stops:
 * the debate goes on, and another tells it.
 */
export async function* followDebate(
  { workspaceId, debateId, afterSeq, wantsDeltas }: Following,
  { signal, stopping }: FollowSignals,
  { archive, board, pollEveryMs = POLL_EVERY_MS }: FollowDebateDeps,
): AsyncGenerator<DebateUpdate> {
  const queue = createUpdateQueue(AbortSignal.any([signal, stopping]));
  const pollTimer = setInterval(
    () => board.isRunning(debateId) || queue.requestRead(),
    pollEveryMs,
  );
  const unwatch = board.watch(debateId, {
    onStored: queue.addEvents,
    onDelta: wantsDeltas ? queue.addDelta : undefined,
  });
  const done = new Set<string>();
  try {
    const found = await archive.find(workspaceId, debateId);
    if (!found) throw noSuchDebate();
    const isOver = found.state !== 'running';
    // Who asks for what comes after an event that there is not would wait for ever.
    let seq = Math.min(afterSeq, toStreamSeq(found.lastSeq + 1) - 1);
    let storedSeq = toStoredSeq(seq);
    for (;;) {
      const { deltas, pushed, mustRead } = queue.take();
      for (const delta of deltas) {
        // What it said whole is told no second time.
        if (done.has(keyOf(delta))) continue;
        if (seq + 1 === toStreamSeq(storedSeq + 1)) continue;
        seq += 1;
        yield { kind: 'delta', debateId, seq, ...delta };
      }
      const fresh = pushed.filter(({ seq: eventSeq }) => eventSeq > storedSeq);
      const isRead =
        mustRead || fresh.some(({ seq: eventSeq }, at) => eventSeq !== storedSeq + 1 + at);
      const events = isRead ? await archive.readEvents(workspaceId, debateId, storedSeq) : fresh;
      if (!events) throw noSuchDebate();
      for (const event of events) {
        storedSeq = event.seq;
        seq = toStreamSeq(storedSeq);
        const isAnswered = event.kind === 'agent-completed' || event.kind === 'agent-failed';
        if (isAnswered) done.add(keyOf(event));
        // It is looked over before anybody sees it, and so is one piece.
        if (wantsDeltas && !isOver && event.kind === 'synthesis-completed') {
          const { debateId: id, roundNumber, agentId, message } = event;
          const piece = { debateId: id, roundNumber, agentId, text: message.content };
          yield { kind: 'delta', seq: seq - 1, ...piece };
        }
        yield { kind: 'event', event };
        if (event.kind === 'done' || event.kind === 'failed') return;
      }
      // Nothing was left to tell.
      if (isOver && events.length === 0) return;
      if (events.length === 0) await queue.wait();
      signal.throwIfAborted();
      if (stopping.aborted) throw unavailable('The service stops; the debate goes on elsewhere.');
    }
  } finally {
    unwatch();
    clearInterval(pollTimer);
    queue.close();
  }
}

/** Who follows may leave, and who tells may stop. */
export type FollowSignals = { signal: AbortSignal; stopping: AbortSignal };

export type Following = {
  workspaceId: string;
  debateId: string;
  /** 0: everything. */
  afterSeq: number;
  wantsDeltas: boolean;
};

/** Also for debates of other workspaces. */
export const noSuchDebate = () => notFound('There is no such debate in this workspace.');

const keyOf = ({ roundNumber, agentId }: { roundNumber: number; agentId: string }): string =>
  `${roundNumber} ${agentId}`;

/** What waits to be told, and a wait that ends with news. */
const createUpdateQueue = (signal: AbortSignal) => {
  let deltas: DebateDelta[] = [];
  let pushed: DebateEvent[] = [];
  /** Whatever was kept before anybody watched is read. */
  let mustRead = true;
  let resume: (() => void) | undefined;
  const requestRead = (): void => {
    mustRead = true;
    resume?.();
  };
  signal.addEventListener('abort', requestRead, { once: true });
  return {
    requestRead,
    addEvents: (events: readonly DebateEvent[]): void => {
      pushed.push(...events);
      resume?.();
    },
    addDelta: (delta: DebateDelta): void => {
      const last = deltas.at(-1);
      if (last && keyOf(last) === keyOf(delta)) {
        deltas[deltas.length - 1] = { ...last, text: last.text + delta.text };
      } else deltas.push(delta);
      resume?.();
    },
    take: () => {
      const taken = { deltas, pushed, mustRead };
      deltas = [];
      pushed = [];
      mustRead = false;
      return taken;
    },
    wait: async (): Promise<void> => {
      if (mustRead || deltas.length > 0 || pushed.length > 0 || signal.aborted) return;
      await new Promise<void>((resolve) => (resume = resolve));
      resume = undefined;
    },
    close: (): void => signal.removeEventListener('abort', requestRead),
  };
};
