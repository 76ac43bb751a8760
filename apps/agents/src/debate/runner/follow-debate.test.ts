import { afterEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@witan/contracts';
import type { DebateEvent } from '../record/debate-event.ts';
import { createLocalDebates } from './local-debates.ts';
import { followDebate, toStreamSeq } from './follow-debate.ts';

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
  await Promise.all(following.splice(0).map((updates) => updates.return(undefined)));
});

const open = ({
  pollEveryMs = 60_000,
  wantsDeltas = false,
  afterSeq = 0,
  hasEnded = false,
} = {}) => {
  const localDebates = createLocalDebates();
  const stored = [eventAt(1)];
  const reads: number[] = [];
  const outage = { failures: 0 };
  const archive = {
    find: async () => ({
      state: hasEnded ? ('failed' as const) : ('running' as const),
      conversationId: '',
      lastSeq: stored.length,
    }),
    readEvents: async (_workspaceId: string, _debateId: string, after: number) => {
      reads.push(after);
      if (outage.failures > 0) {
        outage.failures -= 1;
        throw unavailable('The database is unreachable.');
      }
      return stored.slice(after);
    },
  };
  const signals = { signal: new AbortController().signal, stopping: new AbortController().signal };
  const position = { workspaceId: 'ws_1', debateId: DEBATE, afterSeq, wantsDeltas };
  const updates = followDebate(position, signals, {
    archive,
    localDebates,
    pollEveryMs,
    retryDelaysMs: [0, 0],
  });
  following.push(updates);
  const next = async (): Promise<unknown> => {
    const { value } = await updates.next();
    if (!value) return undefined;
    return value.kind === 'event' ? value.event.seq : value.text;
  };
  return { localDebates, stored, reads, outage, updates, next };
};

describe('followDebate', () => {
  it('reads events when a runner in the same process has stored them', async () => {
    const { localDebates, stored, reads, next } = open();
    localDebates.register(DEBATE, () => true);
    expect(await next()).toBe(1);
    const later = next();
    stored.push(eventAt(2), failedAt(3));
    localDebates.onStored(DEBATE);
    expect([await later, await next(), await next()]).toEqual([2, 3, undefined]);
    expect(reads).toEqual([0, 1]);
  });

  it('yields the end of an ended debate after a number that does not exist', async () => {
    const { stored, next } = open({ hasEnded: true, afterSeq: 2 ** 32 - 1 });
    stored.push(failedAt(2));
    expect([await next(), await next()]).toEqual([2, undefined]);
    const { next: nextOfSeen } = open({ hasEnded: true, afterSeq: toStreamSeq(1) });
    expect(await nextOfSeen()).toBeUndefined();
  });

  it('misses no event that is stored while it reads', async () => {
    const { localDebates, stored, next } = open();
    const reading = next();
    stored.push(eventAt(2));
    localDebates.onStored(DEBATE);
    expect([await reading, await next()]).toEqual([1, 2]);
    stored.push(failedAt(3));
    localDebates.onStored(DEBATE);
    expect([await next(), await next()]).toEqual([3, undefined]);
  });

  it('retries a read while storage is unavailable', async () => {
    const { stored, localDebates, reads, outage, next } = open();
    expect(await next()).toBe(1);
    const later = next();
    outage.failures = 2;
    stored.push(failedAt(2));
    localDebates.onStored(DEBATE);
    expect([await later, await next()]).toEqual([2, undefined]);
    expect(reads).toEqual([0, 1, 1, 1]);
  });

  it('ends with UNAVAILABLE when every retry of a read has failed', async () => {
    const { localDebates, reads, outage, next } = open();
    expect(await next()).toBe(1);
    const later = next();
    outage.failures = 3;
    localDebates.onStored(DEBATE);
    await expect(later).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(reads).toEqual([0, 1, 1, 1]);
  });

  it('polls while another process runs the debate', async () => {
    const { stored, reads, next } = open({ pollEveryMs: 1 });
    expect(await next()).toBe(1);
    const later = next();
    stored.push(failedAt(2));
    expect(await later).toBe(2);
    expect(reads.length).toBeGreaterThan(1);
  });

  it('counts as a listener while it wants deltas, until it ends', async () => {
    const { localDebates, updates, next } = open({ wantsDeltas: true });
    expect(localDebates.hasListeners(DEBATE)).toBe(false);
    expect(await next()).toBe(1);
    expect(localDebates.hasListeners(DEBATE)).toBe(true);
    localDebates.onDelta(DEBATE, { roundNumber: 1, agentId: 'agt_1', text: 'Well' });
    expect(await next()).toBe('Well');
    await updates.return(undefined);
    expect(localDebates.hasListeners(DEBATE)).toBe(false);
    const silentDebate = open();
    expect(await silentDebate.next()).toBe(1);
    expect(silentDebate.localDebates.hasListeners(DEBATE)).toBe(false);
  });
});

describe('createDebateBoard', () => {
  it('reports a debate as running until its last runner unregisters', () => {
    const { register, isRunning } = createLocalDebates();
    const [one, other] = [register(DEBATE, () => true), register(DEBATE, () => true)];
    one();
    expect(isRunning(DEBATE)).toBe(true);
    other();
    expect(isRunning(DEBATE)).toBe(false);
  });

  it('reports a debate as running only while its lease is valid', () => {
    const { register, isRunning } = createLocalDebates();
    let isLeaseValid = true;
    register(DEBATE, () => isLeaseValid);
    expect(isRunning(DEBATE)).toBe(true);
    isLeaseValid = false;
    expect(isRunning(DEBATE)).toBe(false);
  });
});
