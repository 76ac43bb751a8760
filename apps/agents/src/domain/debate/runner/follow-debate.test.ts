import { afterEach, describe, expect, it } from '@jest/globals';
import type { DebateEvent } from '../record/debate-event.ts';
import { createDebateBoard } from './debate-board.ts';
import { followDebate } from './follow-debate.ts';

const DEBATE = 'dbt_1';
const eventAt = (seq: number): DebateEvent => ({
  debateId: DEBATE,
  seq,
  roundNumber: 1,
  agentId: '',
  kind: 'round-started',
});
const failedAt = (seq: number): DebateEvent => ({
  ...eventAt(seq),
  kind: 'failed',
  failure: { kind: 'INTERNAL', code: 'debate_failed', message: 'No.' },
});

const following: AsyncGenerator[] = [];
afterEach(async () => {
  await Promise.all(following.splice(0).map((told) => told.return(undefined)));
});

/** A debate of which so much is kept, its reads counted, and one who follows it. */
const open = ({ lookEveryMs = 60_000, wantsDeltas = false } = {}) => {
  const board = createDebateBoard();
  const kept = [eventAt(1)];
  const reads: number[] = [];
  const archive = {
    find: async () => ({ state: 'running' as const, conversationId: '', lastSeq: kept.length }),
    readEvents: async (_workspaceId: string, _debateId: string, afterSeq: number) => {
      reads.push(afterSeq);
      return kept.slice(afterSeq);
    },
  };
  const leaving = { signal: new AbortController().signal, stopping: new AbortController().signal };
  const asked = { workspaceId: 'ws_1', debateId: DEBATE, afterSeq: 0, wantsDeltas };
  const told = followDebate(asked, leaving, { archive, board, lookEveryMs });
  following.push(told);
  const next = async (): Promise<unknown> => {
    const { value } = await told.next();
    if (!value) return undefined;
    return value.kind === 'event' ? value.event.seq : value.text;
  };
  return { board, kept, reads, told, next };
};

describe('who follows a debate', () => {
  it('is told by who holds it in the same process, without reading', async () => {
    const { board, kept, reads, next } = open();
    board.hold(DEBATE, () => true);
    expect(await next()).toBe(1);
    const fresh = [eventAt(2), failedAt(3)];
    kept.push(...fresh);
    board.onKept(DEBATE, fresh);
    expect([await next(), await next(), await next()]).toEqual([2, 3, undefined]);
    expect(reads).toEqual([0]);
  });

  it('reads what it missed', async () => {
    const { board, kept, reads, next } = open();
    expect(await next()).toBe(1);
    kept.push(eventAt(2), failedAt(3));
    board.onKept(DEBATE, [failedAt(3)]);
    expect([await next(), await next(), await next()]).toEqual([2, 3, undefined]);
    expect(reads).toEqual([0, 1]);
  });

  it('is told nothing twice that it read and is told', async () => {
    const { board, kept, next } = open();
    kept.push(eventAt(2));
    const reading = next();
    board.onKept(DEBATE, [eventAt(2)]);
    expect([await reading, await next()]).toEqual([1, 2]);
    kept.push(failedAt(3));
    board.onKept(DEBATE, [failedAt(3)]);
    expect([await next(), await next()]).toEqual([3, undefined]);
  });

  it('looks again and again while another process holds it', async () => {
    const { kept, reads, next } = open({ lookEveryMs: 1 });
    expect(await next()).toBe(1);
    const later = next();
    kept.push(failedAt(2));
    expect(await later).toBe(2);
    expect(reads.length).toBeGreaterThan(1);
  });

  it('is heard when it wants what agents are just saying, until it leaves', async () => {
    const { board, told, next } = open({ wantsDeltas: true });
    expect(board.isHeard(DEBATE)).toBe(false);
    expect(await next()).toBe(1);
    expect(board.isHeard(DEBATE)).toBe(true);
    board.onDelta(DEBATE, { roundNumber: 1, agentId: 'agt_1', text: 'Well' });
    expect(await next()).toBe('Well');
    await told.return(undefined);
    expect(board.isHeard(DEBATE)).toBe(false);
    const quiet = open();
    expect(await quiet.next()).toBe(1);
    expect(quiet.board.isHeard(DEBATE)).toBe(false);
  });
});

describe('a debate on the board', () => {
  it('is held until the last who holds it lets go', () => {
    const { hold, isHeld } = createDebateBoard();
    const [one, other] = [hold(DEBATE, () => true), hold(DEBATE, () => true)];
    one();
    expect(isHeld(DEBATE)).toBe(true);
    other();
    expect(isHeld(DEBATE)).toBe(false);
  });

  it('is held no longer than its lease, whether or not its holder noticed', () => {
    const { hold, isHeld } = createDebateBoard();
    let isOurs = true;
    hold(DEBATE, () => isOurs);
    expect(isHeld(DEBATE)).toBe(true);
    isOurs = false;
    expect(isHeld(DEBATE)).toBe(false);
  });
});
