import { afterEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@witan/contracts';
import { propagation } from '@opentelemetry/api';
import { eventually, NATS_MISSING } from '@witan/testing';
import { DURABLE, openEventFixture, TOPOLOGY } from '../../test/events/open-event-fixture.ts';
import type { EventFixture } from '../../test/events/open-event-fixture.ts';
import type { Database } from '../database/open-database.ts';
import { everyWorkspace } from '../database/scope.ts';
import { markEventDead } from './inbox.ts';
import type { Poison } from './inbox.ts';
import { EVENT_STREAM } from './event.ts';
import type { DomainEvent } from './event.ts';

const itWithBroker = NATS_MISSING ? it.skip : it;
const skipped = NATS_MISSING ? ` (${NATS_MISSING})` : '';

const DUPLICATE_WINDOW_SECONDS = 0.1;
const SHORT_DEDUPLICATION = {
  ...TOPOLOGY,
  streams: TOPOLOGY.streams.map((stream) => ({
    ...stream,
    duplicateWindowSeconds: DUPLICATE_WINDOW_SECONDS,
  })),
};
const SHORT_DELAYS = { retryDelaysMs: [20], outageDelaysMs: [20] };

const RECORD = 'INSERT INTO inbox (fact_id) VALUES (?) ON CONFLICT DO NOTHING RETURNING fact_id';

const createReader = (database: Database) => {
  const seen: string[] = [];
  const recorded: string[] = [];
  return {
    seen,
    recorded,
    handle: async ({ id }: DomainEvent): Promise<void> => {
      seen.push(id);
      const inserted = await database.scoped(everyWorkspace, (em) =>
        em.execute<object[]>(RECORD, [id]),
      );
      if (inserted.length > 0) recorded.push(id);
    },
  };
};

const infoOf = (fixture: EventFixture) =>
  fixture.manage((manager) => manager.consumers.info(EVENT_STREAM, DURABLE));

const storedIds = async (fixture: EventFixture): Promise<string[]> =>
  (await fixture.stored()).map(({ headers }) => headers['Nats-Msg-Id'] ?? '');

/**
 * Returns true if both events are in the stream at least twice. How often exactly depends on the
 * broker's clock.
 */
const isStoredTwice = (ids: readonly string[]): boolean =>
  new Set(ids).size === 2 && ids.every((id) => ids.indexOf(id) !== ids.lastIndexOf(id));

const isDrained = async (fixture: EventFixture): Promise<boolean> => {
  const { num_pending: pending, num_ack_pending: unacknowledged } = await infoOf(fixture);
  return pending + unacknowledged === 0;
};

describe(`a consumer${skipped}`, () => {
  let fixture: EventFixture;
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  itWithBroker('delivers events in order, with their trace, and acknowledges them', async () => {
    fixture = await openEventFixture();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    propagation.setGlobalPropagator({
      inject: (_context, carrier, setter) => setter.set(carrier, 'traceparent', traceparent),
      extract: (context) => context,
      fields: () => ['traceparent'],
    });
    const ids = await fixture.write({}, {}, {});
    propagation.disable();
    fixture.relay();
    const handled: [DomainEvent, string | undefined][] = [];
    const consumer = fixture.consume({
      handle: async (event, headers) => void handled.push([event, headers['traceparent']]),
    });
    await eventually(() => handled.length === 3);
    expect(
      handled.map(([event, trace]) => [event.id, event.workspaceId, event.type, trace]),
    ).toEqual(ids.map((id) => [id, 'ws_a', 'order.placed', traceparent]));
    await eventually(() => isDrained(fixture));
    await consumer.stop();
  });

  itWithBroker('applies once an event that a relay crash published twice', async () => {
    fixture = await openEventFixture(SHORT_DEDUPLICATION);
    const crashingDatabase: Database = {
      ...fixture.database,
      scoped: (scope, work) =>
        fixture.database.scoped(scope, async (em) => {
          const done = await work(em);
          const isSent = Array.isArray(done) && done.length === 2;
          // Fails until the deduplication window has passed, because the broker drops duplicates
          // within it.
          const isEarly = isSent && !isStoredTwice(await storedIds(fixture));
          if (isEarly) throw new Error('killed before the commit');
          return done;
        }),
    };
    const ids = await fixture.write({}, {});
    fixture.relay({ database: crashingDatabase });
    await eventually(async () => isStoredTwice(await storedIds(fixture)));
    const sentIds = await storedIds(fixture);
    expect(new Set(sentIds)).toEqual(new Set(ids));
    const reader = createReader(fixture.database);
    fixture.consume(reader);
    await eventually(() => isDrained(fixture));
    expect([reader.seen, reader.recorded]).toEqual([sentIds, [...new Set(sentIds)]]);
  });

  itWithBroker('retries an event whose handler fails, and does not count UNAVAILABLE', async () => {
    fixture = await openEventFixture();
    const [id] = await fixture.write({});
    fixture.relay();
    const failures: Error[] = [
      new Error('no'),
      ...Array.from({ length: 4 }, () => unavailable('x')),
    ];
    const deadEvents: Poison[] = [];
    const handled: string[] = [];
    fixture.consume({
      ...SHORT_DELAYS,
      attemptsMax: 2,
      handle: async (event) => {
        handled.push(event.id);
        const failure = failures.shift();
        if (failure) throw failure;
      },
      onPoison: async (poison) => void deadEvents.push(poison),
    });
    await eventually(async () => handled.length === 6 && (await isDrained(fixture)));
    expect([new Set(handled), deadEvents]).toEqual([new Set([id]), []]);
  });

  itWithBroker('retains an event and later ones while a dependency is unavailable', async () => {
    fixture = await openEventFixture();
    const ids = await fixture.write({}, {});
    fixture.relay();
    const handled: string[] = [];
    let isUnavailable = true;
    const consumer = fixture.consume({
      ...SHORT_DELAYS,
      handle: async ({ id }) => {
        handled.push(id);
        if (isUnavailable) throw unavailable('x');
      },
    });
    await eventually(() => handled.length >= 5);
    expect(new Set(handled)).toEqual(new Set([ids[0]]));
    expect((await infoOf(fixture)).delivered.consumer_seq).toBe(1);
    isUnavailable = false;
    await eventually(() => isDrained(fixture));
    expect(handled.at(-1)).toBe(ids[1]);
    await consumer.stop();
  });

  itWithBroker('marks failing events and invalid messages dead, and continues', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const [bad] = await fixture.write({ type: 'order.bad' });
    await eventually(async () => (await fixture.stored()).length === 1);
    await fixture.publishRaw('events.v1.ws_a.junk', Uint8Array.of(9));
    const [good] = await fixture.write({});
    const reader = createReader(fixture.database);
    let refusals = 1;
    fixture.consume({
      ...SHORT_DELAYS,
      attemptsMax: 3,
      handle: async (event, headers) => {
        if (event.type === 'order.bad') throw new RangeError('never');
        expect(headers['ce-id']).toBe(event.id);
        await reader.handle(event);
      },
      onPoison: async (poison) => {
        if (refusals-- > 0) throw new Error('no room for it yet');
        await fixture.database.scoped(everyWorkspace, (em) => markEventDead(em, poison));
      },
    });
    await eventually(async () => reader.recorded.length === 1 && (await isDrained(fixture)));
    expect(reader.recorded).toEqual([good]);
    const dead = `SELECT fact_id, workspace_id, error_class, encode(payload, 'hex') AS payload
      FROM dead_fact ORDER BY length(fact_id)`;
    expect(await fixture.rows(dead)).toEqual([
      { fact_id: 'EVENTS:2', workspace_id: '', error_class: 'Error', payload: '09' },
      { fact_id: bad, workspace_id: 'ws_a', error_class: 'RangeError', payload: '010203' },
    ]);
  });

  itWithBroker('recreates a durable consumer that was deleted', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const reader = createReader(fixture.database);
    fixture.consume(reader);
    const before = await fixture.write({});
    await eventually(() => reader.recorded.length === 1);
    await fixture.manage((manager) => manager.consumers.delete(EVENT_STREAM, DURABLE));
    const after = await fixture.write({}, {});
    await eventually(() => reader.recorded.length === 3);
    expect(reader.recorded).toEqual([...before, ...after]);
  });

  itWithBroker('applies every event once although the broker is killed and wiped', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const reader = createReader(fixture.database);
    fixture.consume(reader);
    const ids: string[] = [];
    for (const isWiped of [false, true, false]) {
      ids.push(...(await fixture.write(...Array.from({ length: 40 }, () => ({})))));
      await eventually(() => reader.recorded.length > ids.length - 30);
      await (isWiped ? fixture.server.wipe() : fixture.server.kill('SIGKILL'));
      ids.push(...(await fixture.write({}, {})));
      await fixture.server.restart();
    }
    await eventually(
      async () => reader.recorded.length === ids.length && (await isDrained(fixture)),
    );
    expect(new Set(reader.recorded)).toEqual(new Set(ids));
  });

  itWithBroker('detects a hung broker by missing heartbeats, and recovers', async () => {
    fixture = await openEventFixture();
    const reader = createReader(fixture.database);
    fixture.consume({ ...reader, fetchTiming: { expiresMs: 1_000, heartbeatMs: 500 } });
    await eventually(async () => (await infoOf(fixture)).num_waiting === 1);
    await fixture.server.kill('SIGSTOP');
    await eventually(() => fixture.logged.some((line) => line.includes('event_fetch_failed')));
    await fixture.server.kill('SIGCONT');
    fixture.relay();
    const ids = await fixture.write({});
    await eventually(() => reader.recorded.length === 1);
    expect(reader.recorded).toEqual(ids);
  });

  itWithBroker('leases one event at a time: a slow handler blocks no other replica', async () => {
    fixture = await openEventFixture();
    const handlerGate = Promise.withResolvers<void>();
    let leasedId = '';
    const slowConsumer = fixture.consume({
      handle: async ({ id }) => {
        leasedId = id;
        await handlerGate.promise;
      },
    });
    fixture.relay();
    const [first] = await fixture.write({});
    await eventually(() => leasedId !== '');
    const reader = createReader(fixture.database);
    fixture.consume({ ...reader, broker: await fixture.connectBroker() });
    const others = await fixture.write({}, {}, {});
    await eventually(() => reader.recorded.length === 3);
    const stopped = slowConsumer.stop();
    handlerGate.resolve();
    await stopped;
    await eventually(() => isDrained(fixture));
    expect([leasedId, reader.seen.filter((id) => id !== first)]).toEqual([first, others]);
  });

  itWithBroker('handles `lanes` events concurrently', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    await fixture.write({}, {}, {});
    const together = Promise.withResolvers<void>();
    let running = 0;
    fixture.consume({
      lanes: 3,
      handle: async () => {
        running += 1;
        if (running === 3) together.resolve();
        await together.promise;
      },
    });
    await together.promise;
    await eventually(() => isDrained(fixture));
    expect(running).toBe(3);
  });
});
