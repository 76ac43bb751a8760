import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { DebateEventSchema, notFound, unavailable } from '@witan/contracts';
import type { DebateEvent, ServiceError } from '@witan/contracts';
import { isLastEvent } from './conversations/debate-position.ts';
import { followAcrossReplicas } from './follow-across-replicas.ts';

const SECOND_MS = 1_000;

const makeEvent = (seq: number, kind: DebateEvent['event'] = ROUND): DebateEvent =>
  create(DebateEventSchema, { debateId: 'dbt_1', seq, event: kind });
const ROUND = create(DebateEventSchema, { event: { case: 'roundStarted', value: {} } }).event;
const DONE_EVENT = create(DebateEventSchema, { event: { case: 'done', value: {} } }).event;
const DELTA_EVENT = create(DebateEventSchema, { event: { case: 'agentDelta', value: 'x' } }).event;

async function* emit(events: readonly DebateEvent[], failure?: Error): AsyncGenerator<DebateEvent> {
  yield* events;
  if (failure) throw failure;
}

const runFollow = (...parts: [readonly DebateEvent[], Error?][]) => {
  const positions: { debateId: string; afterSeq: number }[] = [];
  const seen: number[] = [];
  const abortController = new AbortController();
  const streams = parts.map((part) => emit(...part));
  const follow = ({ debateId, seq: afterSeq }: DebateEvent): AsyncIterable<DebateEvent> => {
    positions.push({ debateId, afterSeq });
    return streams.shift() ?? emit([], unavailable('away'));
  };
  const read = async (): Promise<void> => {
    const events = followAcrossReplicas(streams.shift()!, follow, {
      signal: abortController.signal,
      isLast: isLastEvent,
    });
    for await (const { seq } of events) seen.push(seq);
  };
  const readEnd = read().then(
    () => 'ended',
    (error: ServiceError) => error.reason,
  );
  return { positions, seen, abortController, ended: readEnd };
};

describe('a followed debate', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is followed to its end', async () => {
    const { seen, ended: readEnd } = runFollow([[makeEvent(1), makeEvent(2, DONE_EVENT)]]);
    expect([await readEnd, seen]).toEqual(['ended', [1, 2]]);
  });

  it('resumes on another replica after the last event', async () => {
    const {
      seen,
      positions,
      ended: readEnd,
    } = runFollow(
      [[makeEvent(1), makeEvent(2, DELTA_EVENT)], unavailable('away')],
      [[], unavailable('away')],
      [[makeEvent(3, DONE_EVENT)]],
    );
    await jest.advanceTimersByTimeAsync(2 * SECOND_MS);
    expect([await readEnd, seen]).toEqual(['ended', [1, 2, 3]]);
    const position = { debateId: 'dbt_1', afterSeq: 2 };
    expect(positions).toEqual([position, position]);
  });

  it('fails if no replica is available for a minute', async () => {
    const { positions, ended: readEnd } = runFollow([[makeEvent(1)], unavailable('away')]);
    await jest.advanceTimersByTimeAsync(61 * SECOND_MS);
    expect(await readEnd).toBe('UNAVAILABLE');
    expect(positions).toHaveLength(60);
  });

  it.each([
    ['has not begun', [], unavailable('away'), 'UNAVAILABLE'],
    ['fails for another reason', [makeEvent(1)], notFound('deleted'), 'NOT_FOUND'],
    ['is over', [makeEvent(1, DONE_EVENT)], unavailable('away'), 'ended'],
  ])('does not ask another replica if it %s', async (_name, events, failure, outcome) => {
    const { positions, ended: readEnd } = runFollow([events, failure]);
    expect([await readEnd, positions]).toEqual([outcome, []]);
  });

  it('stops waiting when the client disconnects', async () => {
    const {
      positions,
      abortController,
      ended: readEnd,
    } = runFollow([[makeEvent(1)], unavailable('away')]);
    await jest.advanceTimersByTimeAsync(SECOND_MS / 2);
    abortController.abort();
    expect([await readEnd, positions]).toEqual(['CANCELLED', []]);
  });
});
