import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { DebateEventSchema, notFound, unavailable } from '@witan/contracts';
import type { DebateEvent, ServiceError } from '@witan/contracts';
import type { DebatePosition } from './read-last-event-id.ts';
import { followAcrossReplicas } from './follow-across-replicas.ts';

const SECOND_MS = 1_000;

const makeEvent = (seq: number, kind: DebateEvent['event'] = ROUND): DebateEvent =>
  create(DebateEventSchema, { debateId: 'dbt_1', seq, event: kind });
const ROUND = create(DebateEventSchema, { event: { case: 'roundStarted', value: {} } }).event;
const DONE = create(DebateEventSchema, { event: { case: 'done', value: {} } }).event;
const PIECE = create(DebateEventSchema, { event: { case: 'agentDelta', value: 'x' } }).event;

async function* emit(events: readonly DebateEvent[], fails?: Error): AsyncGenerator<DebateEvent> {
  yield* events;
  if (fails) throw fails;
}

const runFollow = (...parts: [readonly DebateEvent[], Error?][]) => {
  const positions: DebatePosition[] = [];
  const seen: number[] = [];
  const abortController = new AbortController();
  const streams = parts.map((part) => emit(...part));
  const follow = (position: DebatePosition): AsyncIterable<DebateEvent> => {
    positions.push(position);
    return streams.shift() ?? emit([], unavailable('away'));
  };
  const read = async (): Promise<void> => {
    const events = followAcrossReplicas(streams.shift()!, follow, abortController.signal);
    for await (const { seq } of events) seen.push(seq);
  };
  const ended = read().then(
    () => 'ended',
    (error: ServiceError) => error.reason,
  );
  return { positions, seen, abortController, ended };
};

describe('a followed debate', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is followed to its end', async () => {
    const { seen, ended } = runFollow([[makeEvent(1), makeEvent(2, DONE)]]);
    expect([await ended, seen]).toEqual(['ended', [1, 2]]);
  });

  it('resumes on another replica after the last event', async () => {
    const { seen, positions, ended } = runFollow(
      [[makeEvent(1), makeEvent(2, PIECE)], unavailable('away')],
      [[], unavailable('away')],
      [[makeEvent(3, DONE)]],
    );
    await jest.advanceTimersByTimeAsync(2 * SECOND_MS);
    expect([await ended, seen]).toEqual(['ended', [1, 2, 3]]);
    const position = { debateId: 'dbt_1', afterSeq: 2 };
    expect(positions).toEqual([position, position]);
  });

  it('fails if no replica is available for a minute', async () => {
    const { positions, ended } = runFollow([[makeEvent(1)], unavailable('away')]);
    await jest.advanceTimersByTimeAsync(61 * SECOND_MS);
    expect(await ended).toBe('UNAVAILABLE');
    expect(positions).toHaveLength(60);
  });

  it.each([
    ['has not begun', [], unavailable('away'), 'UNAVAILABLE'],
    ['fails for another reason', [makeEvent(1)], notFound('deleted'), 'NOT_FOUND'],
    ['is over', [makeEvent(1, DONE)], unavailable('away'), 'ended'],
  ])('does not ask another replica if it %s', async (_name, events, failure, outcome) => {
    const { positions, ended } = runFollow([events, failure]);
    expect([await ended, positions]).toEqual([outcome, []]);
  });

  it('stops waiting when the client disconnects', async () => {
    const { positions, abortController, ended } = runFollow([[makeEvent(1)], unavailable('away')]);
    await jest.advanceTimersByTimeAsync(SECOND_MS / 2);
    abortController.abort();
    expect([await ended, positions]).toEqual(['CANCELLED', []]);
  });
});
