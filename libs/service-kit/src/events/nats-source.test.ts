import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, NATS_MISSING } from '@witan/testing';
import { createReader } from '../../test/events/create-reader.ts';
import { DURABLE, openNatsFixture, TOPOLOGY } from '../../test/events/open-event-fixture.ts';
import type { NatsFixture } from '../../test/events/open-event-fixture.ts';
import type { Database } from '../database/open-database.ts';
import { everyWorkspace } from '../database/scope.ts';
import { markEventDead } from './inbox.ts';
import { EVENT_STREAM } from './event.ts';
import { createNatsEvents } from './nats-events.ts';

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
const infoOf = (fixture: NatsFixture) =>
  fixture.manage((manager) => manager.consumers.info(EVENT_STREAM, DURABLE));

const storedIds = async (fixture: NatsFixture): Promise<string[]> =>
  (await fixture.stored()).map(({ headers }) => headers['Nats-Msg-Id'] ?? '');

/**
 * Returns true if both events are in the stream at least twice. How often exactly depends on the
 * broker's clock.
 */
const isStoredTwice = (ids: readonly string[]): boolean =>
  new Set(ids).size === 2 && ids.every((id) => ids.indexOf(id) !== ids.lastIndexOf(id));

describe(`a consumer of JetStream${skipped}`, () => {
  let fixture: NatsFixture;
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  itWithBroker('applies once an event that a relay crash published twice', async () => {
    fixture = await openNatsFixture(SHORT_DEDUPLICATION);
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
    await eventually(fixture.isDrained);
    expect([reader.seen, reader.recorded]).toEqual([sentIds, [...new Set(sentIds)]]);
  });

  itWithBroker('recreates a durable consumer that was deleted', async () => {
    fixture = await openNatsFixture();
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
    fixture = await openNatsFixture();
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
      async () => reader.recorded.length === ids.length && (await fixture.isDrained()),
    );
    expect(new Set(reader.recorded)).toEqual(new Set(ids));
  });

  itWithBroker('detects a hung broker by missing heartbeats, and recovers', async () => {
    fixture = await openNatsFixture();
    const reader = createReader(fixture.database);
    const fetchTiming = { expiresMs: 1_000, heartbeatMs: 500 };
    const events = createNatsEvents({ broker: fixture.broker, topology: TOPOLOGY, fetchTiming });
    fixture.consume({ ...reader, events });
    await eventually(async () => (await infoOf(fixture)).num_waiting === 1);
    await fixture.server.kill('SIGSTOP');
    await eventually(() => fixture.logged.some((line) => line.includes('event_fetch_failed')));
    await fixture.server.kill('SIGCONT');
    fixture.relay();
    const ids = await fixture.write({});
    await eventually(() => reader.recorded.length === 1);
    expect(reader.recorded).toEqual(ids);
  });

  itWithBroker('stores an invalid message as dead under its sequence', async () => {
    fixture = await openNatsFixture();
    await eventually(fixture.broker.isConnected);
    await fixture.publishRaw('events.v1.ws_a.junk', Uint8Array.of(9));
    fixture.consume({
      handle: async () => {},
      onPoison: (poison) =>
        fixture.database.scoped(everyWorkspace, (em) => markEventDead(em, poison)),
    });
    await eventually(fixture.isDrained);
    const dead = `SELECT fact_id, workspace_id, error_class, encode(payload, 'hex') AS payload
      FROM dead_fact`;
    expect(await fixture.rows(dead)).toEqual([
      { fact_id: 'EVENTS:1', workspace_id: '', error_class: 'Error', payload: '09' },
    ]);
  });
});
