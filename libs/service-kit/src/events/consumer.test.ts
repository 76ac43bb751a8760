import { afterEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@witan/contracts';
import { propagation } from '@opentelemetry/api';
import { eventually, NATS_MISSING } from '@witan/testing';
import { DURABLE, openEventFixture, TOPOLOGY } from '../../test/events/open-event-fixture.ts';
import type { EventFixture } from '../../test/events/open-event-fixture.ts';
import type { Database } from '../database/open-database.ts';
import { everyWorkspace } from '../database/scope.ts';
import { markEventDead } from './mark-event-dead.ts';
import type { Poison } from './mark-event-dead.ts';
import { EVENT_STREAM } from './event.ts';
import type { DomainEvent } from './event.ts';

const itWithBroker = NATS_MISSING ? it.skip : it;
const skipped = NATS_MISSING ? ` (${NATS_MISSING})` : '';

/** The server takes none that is shorter. */
const DUPLICATE_WINDOW_SECONDS = 0.1;
const FORGETFUL = {
  ...TOPOLOGY,
  streams: TOPOLOGY.streams.map((stream) => ({
    ...stream,
    duplicateWindowSeconds: DUPLICATE_WINDOW_SECONDS,
  })),
};
const SOON = { retryDelaysMs: [20], awayDelaysMs: [20] };

/** As every reader does it, in the transaction of what it makes of a fact. */
const BOOK = 'INSERT INTO inbox (fact_id) VALUES (?) ON CONFLICT DO NOTHING RETURNING fact_id';

/** Remembers the ids that it was handed, and those that the inbox let through. */
const createReader = (database: Database) => {
  const seen: string[] = [];
  const booked: string[] = [];
  return {
    seen,
    booked,
    handle: async ({ id }: DomainEvent): Promise<void> => {
      seen.push(id);
      const taken = await database.scoped(everyWorkspace, (em) => em.execute<object[]>(BOOK, [id]));
      if (taken.length > 0) booked.push(id);
    },
  };
};

const infoOf = (fixture: EventFixture) =>
  fixture.manage((manager) => manager.consumers.info(EVENT_STREAM, DURABLE));

/** The ids of the facts in the stream, in order. */
const storedIds = async (fixture: EventFixture): Promise<string[]> =>
  (await fixture.stored()).map(({ headers }) => headers['Nats-Msg-Id'] ?? '');

/** Both facts are in the stream at least twice; how often depends on the broker's clock. */
const isStoredTwice = (ids: readonly string[]): boolean =>
  new Set(ids).size === 2 && ids.every((id) => ids.indexOf(id) !== ids.lastIndexOf(id));

/** The consumer has nothing that waits, and nothing that is booked. */
const isDone = async (fixture: EventFixture): Promise<boolean> => {
  const { num_pending: pending, num_ack_pending: booked } = await infoOf(fixture);
  return pending + booked === 0;
};

describe(`a consumer${skipped}`, () => {
  let fixture: EventFixture;
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  itWithBroker('hands facts over in order, with their trace, and acknowledges them', async () => {
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
    const handed: [DomainEvent, string | undefined][] = [];
    const consumer = fixture.consume({
      handle: async (fact, headers) => void handed.push([fact, headers['traceparent']]),
    });
    await eventually(() => handed.length === 3);
    expect(handed.map(([fact, trace]) => [fact.id, fact.workspaceId, fact.type, trace])).toEqual(
      ids.map((id) => [id, 'ws_a', 'order.placed', traceparent]),
    );
    await eventually(() => isDone(fixture));
    await consumer.stop();
  });

  itWithBroker(
    'is handed once what a crash between publishing and noting it sent twice',
    async () => {
      fixture = await openEventFixture(FORGETFUL);
      const crashing: Database = {
        ...fixture.database,
        scoped: (scope, work) =>
          fixture.database.scoped(scope, async (em) => {
            const done = await work(em);
            const isSent = Array.isArray(done) && done.length === 2;
            // Until the broker has forgotten that it had them: it drops what comes sooner.
            const isEarly = isSent && !isStoredTwice(await storedIds(fixture));
            if (isEarly) throw new Error('killed before the commit');
            return done;
          }),
      };
      const ids = await fixture.write({}, {});
      fixture.relay({ database: crashing });
      await eventually(async () => isStoredTwice(await storedIds(fixture)));
      const sent = await storedIds(fixture);
      expect(new Set(sent)).toEqual(new Set(ids));
      const reader = createReader(fixture.database);
      fixture.consume(reader);
      await eventually(() => isDone(fixture));
      expect([reader.seen, reader.booked]).toEqual([sent, [...new Set(sent)]]);
    },
  );

  itWithBroker(
    'hands a fact over again when its handler fails, and UNAVAILABLE does not count',
    async () => {
      fixture = await openEventFixture();
      const [id] = await fixture.write({});
      fixture.relay();
      const failures: Error[] = [
        new Error('no'),
        ...Array.from({ length: 4 }, () => unavailable('x')),
      ];
      const given: Poison[] = [];
      const handed: string[] = [];
      fixture.consume({
        ...SOON,
        attemptsMax: 2,
        handle: async (fact) => {
          handed.push(fact.id);
          const failure = failures.shift();
          if (failure) throw failure;
        },
        onPoison: async (poison) => void given.push(poison),
      });
      await eventually(async () => handed.length === 6 && (await isDone(fixture)));
      expect([new Set(handed), given]).toEqual([new Set([id]), []]);
    },
  );

  itWithBroker(
    'holds a fact while what its handler needs is away, and those behind it',
    async () => {
      fixture = await openEventFixture();
      const ids = await fixture.write({}, {});
      fixture.relay();
      const handed: string[] = [];
      let isAway = true;
      const consumer = fixture.consume({
        ...SOON,
        handle: async ({ id }) => {
          handed.push(id);
          if (isAway) throw unavailable('x');
        },
      });
      await eventually(() => handed.length >= 5);
      expect(new Set(handed)).toEqual(new Set([ids[0]]));
      expect((await infoOf(fixture)).delivered.consumer_seq).toBe(1);
      isAway = false;
      await eventually(() => isDone(fixture));
      expect(handed.at(-1)).toBe(ids[1]);
      await consumer.stop();
    },
  );

  itWithBroker('gives up what fails for ever, and what is no fact, and goes on', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const [bad] = await fixture.write({ type: 'order.bad' });
    await eventually(async () => (await fixture.stored()).length === 1);
    await fixture.publishRaw('events.v1.ws_a.junk', Uint8Array.of(9));
    const [good] = await fixture.write({});
    const reader = createReader(fixture.database);
    let refusals = 1;
    fixture.consume({
      ...SOON,
      attemptsMax: 3,
      handle: async (fact, headers) => {
        if (fact.type === 'order.bad') throw new RangeError('never');
        expect(headers['ce-id']).toBe(fact.id);
        await reader.handle(fact);
      },
      onPoison: async (poison) => {
        if (refusals-- > 0) throw new Error('no room for it yet');
        await fixture.database.scoped(everyWorkspace, (em) => markEventDead(em, poison));
      },
    });
    await eventually(async () => reader.booked.length === 1 && (await isDone(fixture)));
    expect(reader.booked).toEqual([good]);
    const dead = `SELECT fact_id, workspace_id, error_class, encode(payload, 'hex') AS payload
      FROM dead_fact ORDER BY length(fact_id)`;
    expect(await fixture.rows(dead)).toEqual([
      { fact_id: 'EVENTS:2', workspace_id: '', error_class: 'Error', payload: '09' },
      { fact_id: bad, workspace_id: 'ws_a', error_class: 'RangeError', payload: '010203' },
    ]);
  });

  itWithBroker('comes back when its consumer is deleted underneath', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const reader = createReader(fixture.database);
    fixture.consume(reader);
    const before = await fixture.write({});
    await eventually(() => reader.booked.length === 1);
    await fixture.manage((manager) => manager.consumers.delete(EVENT_STREAM, DURABLE));
    const after = await fixture.write({}, {});
    await eventually(() => reader.booked.length === 3);
    expect(reader.booked).toEqual([...before, ...after]);
  });

  itWithBroker(
    'misses nothing while the broker is killed and wiped, and books nothing twice',
    async () => {
      fixture = await openEventFixture();
      fixture.relay();
      const reader = createReader(fixture.database);
      fixture.consume(reader);
      const ids: string[] = [];
      for (const isWiped of [false, true, false]) {
        ids.push(...(await fixture.write(...Array.from({ length: 40 }, () => ({})))));
        await eventually(() => reader.booked.length > ids.length - 30);
        await (isWiped ? fixture.server.wipe() : fixture.server.kill('SIGKILL'));
        ids.push(...(await fixture.write({}, {})));
        await fixture.server.restart();
      }
      await eventually(async () => reader.booked.length === ids.length && (await isDone(fixture)));
      expect(new Set(reader.booked)).toEqual(new Set(ids));
    },
  );

  itWithBroker(
    'notices a broker that hangs by its heartbeats, and goes on when it is back',
    async () => {
      fixture = await openEventFixture();
      const reader = createReader(fixture.database);
      fixture.consume({ ...reader, waiting: { expiresMs: 1_000, heartbeatMs: 500 } });
      await eventually(async () => (await infoOf(fixture)).num_waiting === 1);
      await fixture.server.kill('SIGSTOP');
      await eventually(() =>
        fixture.logged.some((line) => line.includes('no facts for the moment')),
      );
      await fixture.server.kill('SIGCONT');
      fixture.relay();
      const ids = await fixture.write({});
      await eventually(() => reader.booked.length === 1);
      expect(reader.booked).toEqual(ids);
    },
  );

  itWithBroker('books one fact at a time: a slow one holds up no other replica', async () => {
    fixture = await openEventFixture();
    const gate = Promise.withResolvers<void>();
    let held = '';
    const slow = fixture.consume({
      handle: async ({ id }) => {
        held = id;
        await gate.promise;
      },
    });
    fixture.relay();
    const [first] = await fixture.write({});
    await eventually(() => held !== '');
    const reader = createReader(fixture.database);
    fixture.consume({ ...reader, broker: await fixture.openConnected() });
    const others = await fixture.write({}, {}, {});
    await eventually(() => reader.booked.length === 3);
    const stopped = slow.stop();
    gate.resolve();
    await stopped;
    await eventually(() => isDone(fixture));
    expect([held, reader.seen.filter((id) => id !== first)]).toEqual([first, others]);
  });

  itWithBroker('works in as many lanes as it is told', async () => {
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
    await eventually(() => isDone(fixture));
    expect(running).toBe(3);
  });
});
