import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { DebateEventSchema, notFound, unavailable } from '@witan/contracts';
import type { DebateEvent, ServiceError } from '@witan/contracts';
import type { DebatePlace } from './read-last-event-id.ts';
import { stayWithDebate } from './stay-with-debate.ts';

const SECOND_MS = 1_000;

const told = (seq: number, kind: DebateEvent['event'] = ROUND): DebateEvent =>
  create(DebateEventSchema, { debateId: 'dbt_1', seq, event: kind });
const ROUND = create(DebateEventSchema, { event: { case: 'roundStarted', value: {} } }).event;
const DONE = create(DebateEventSchema, { event: { case: 'done', value: {} } }).event;
const PIECE = create(DebateEventSchema, { event: { case: 'agentDelta', value: 'x' } }).event;

/** These events, and then this failure. */
async function* tell(events: readonly DebateEvent[], fails?: Error): AsyncGenerator<DebateEvent> {
  yield* events;
  if (fails) throw fails;
}

/** What comes of a debate whose replicas tell it in these parts. */
const stay = (...parts: [readonly DebateEvent[], Error?][]) => {
  const places: DebatePlace[] = [];
  const seen: number[] = [];
  const leaving = new AbortController();
  const streams = parts.map((part) => tell(...part));
  const follow = (place: DebatePlace): AsyncIterable<DebateEvent> => {
    places.push(place);
    return streams.shift() ?? tell([], unavailable('away'));
  };
  const read = async (): Promise<void> => {
    const events = stayWithDebate(streams.shift()!, follow, leaving.signal);
    for await (const { seq } of events) seen.push(seq);
  };
  const ended = read().then(
    () => 'ended',
    (error: ServiceError) => error.reason,
  );
  return { places, seen, leaving, ended };
};

describe('who stays with a debate', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('reads it to its end', async () => {
    const { seen, ended } = stay([[told(1), told(2, DONE)]]);
    expect([await ended, seen]).toEqual(['ended', [1, 2]]);
  });

  it('goes on elsewhere when its replica goes away, behind what was told', async () => {
    const { seen, places, ended } = stay(
      [[told(1), told(2, PIECE)], unavailable('away')],
      [[], unavailable('away')],
      [[told(3, DONE)]],
    );
    await jest.advanceTimersByTimeAsync(2 * SECOND_MS);
    expect([await ended, seen]).toEqual(['ended', [1, 2, 3]]);
    const place = { debateId: 'dbt_1', afterSeq: 2 };
    expect(places).toEqual([place, place]);
  });

  it('gives up when nobody is there for a minute', async () => {
    const { places, ended } = stay([[told(1)], unavailable('away')]);
    await jest.advanceTimersByTimeAsync(61 * SECOND_MS);
    expect(await ended).toBe('UNAVAILABLE');
    expect(places).toHaveLength(60);
  });

  it.each([
    ['has not begun', [], unavailable('away'), 'UNAVAILABLE'],
    ['fails for another reason', [told(1)], notFound('deleted'), 'NOT_FOUND'],
    ['is over', [told(1, DONE)], unavailable('away'), 'ended'],
  ])('does not look for one that %s', async (_name, events, failure, outcome) => {
    const { places, ended } = stay([events, failure]);
    expect([await ended, places]).toEqual([outcome, []]);
  });

  it('stops waiting when the client leaves', async () => {
    const { places, leaving, ended } = stay([[told(1)], unavailable('away')]);
    await jest.advanceTimersByTimeAsync(SECOND_MS / 2);
    leaving.abort();
    expect([await ended, places]).toEqual(['CANCELLED', []]);
  });
});
