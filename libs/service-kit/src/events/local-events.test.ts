import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { createReader } from '../../test/events/create-reader.ts';
import { openLocalFixture, TOPOLOGY } from '../../test/events/open-event-fixture.ts';
import type { EventFixture } from '../../test/events/open-event-fixture.ts';
import type { Database } from '../database/open-database.ts';
import { matchesFilter } from './event.ts';
import { createLocalEvents } from './local-events.ts';

/** More events than the transport may have in flight. */
const BACKLOG = 620;

describe('events within a process', () => {
  let fixture: EventFixture;
  beforeEach(async () => {
    fixture = await openLocalFixture();
  });
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('are applied once although the process ended before it marked them', async () => {
    const ids = await fixture.write({}, {});
    const reader = createReader(fixture.database);
    const events = createLocalEvents(TOPOLOGY);
    const endingDatabase: Database = {
      ...fixture.database,
      scoped: (scope, work) =>
        fixture.database.scoped(scope, async (em) => {
          if (reader.seen.length > 0) throw new Error('killed before the commit');
          return work(em);
        }),
    };
    const endingRelay = fixture.relay({ database: endingDatabase, events });
    const endingConsumer = fixture.consume({ ...reader, events });
    await eventually(() => reader.recorded.length === 2);
    await Promise.all([endingRelay.stop(), endingConsumer.stop()]);
    expect(await fixture.isDrained()).toBe(false);
    fixture.relay();
    fixture.consume(reader);
    await eventually(fixture.isDrained);
    expect([reader.seen, reader.recorded]).toEqual([[...ids, ...ids], ids]);
  });

  it('hold no transaction and no row while they are handled', async () => {
    const [id] = await fixture.write({});
    fixture.relay();
    const handling = Promise.withResolvers<void>();
    const handlerGate = Promise.withResolvers<void>();
    fixture.consume({
      handle: async () => {
        handling.resolve();
        await handlerGate.promise;
      },
    });
    await handling.promise;
    const locked = `SELECT id FROM outbox WHERE id = '${id}' FOR UPDATE SKIP LOCKED`;
    await eventually(async () => (await fixture.rows(locked)).length === 1);
    const open = `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
      AND state = 'idle in transaction' AND pid <> pg_backend_pid()`;
    await eventually(async () => (await fixture.rows(open)).length === 0);
    expect(await fixture.isDrained()).toBe(false);
    handlerGate.resolve();
    await eventually(fixture.isDrained);
  });

  it('wait in the outbox until every declared consumer has handled them', async () => {
    const [plan] = TOPOLOGY.consumers;
    const other = { ...plan!, name: 'other', filter: 'events.v1.*.order.placed' };
    const events = createLocalEvents({ ...TOPOLOGY, consumers: [plan!, other] });
    const [placedId] = await fixture.write({}, { type: 'order.paid' });
    fixture.relay({ events });
    const reader = createReader(fixture.database);
    fixture.consume({ ...reader, events });
    const waiting = 'SELECT id FROM outbox WHERE published_at IS NULL';
    await eventually(async () => (await fixture.rows(waiting)).length === 1);
    expect(await fixture.rows(waiting)).toEqual([{ id: placedId }]);
    const otherReader = createReader(fixture.database);
    fixture.consume({ ...otherReader, events, durable: 'other' });
    await eventually(fixture.isDrained);
    expect(otherReader.seen).toEqual([placedId]);
  });

  it('are withdrawn from their consumers when their relay stops', async () => {
    const [gated, ...others] = await fixture.write({}, {}, {});
    const handling = Promise.withResolvers<void>();
    const handlerGate = Promise.withResolvers<void>();
    const seen: string[] = [];
    fixture.consume({
      handle: async ({ id }) => {
        seen.push(id);
        handling.resolve();
        await handlerGate.promise;
      },
    });
    const relay = fixture.relay();
    await handling.promise;
    await relay.stop();
    fixture.relay();
    handlerGate.resolve();
    await eventually(fixture.isDrained);
    expect(seen).toEqual([gated, gated, ...others]);
  });

  it('wait in the outbox while too many of them wait for a retry', async () => {
    await fixture.write(...Array.from({ length: BACKLOG }, () => ({})));
    const events = createLocalEvents(TOPOLOGY);
    let batchCount = 0;
    const openSender: typeof events.openSender = (outbox) => {
      const sender = events.openSender(outbox);
      const sendBatch: typeof sender.sendBatch = () => {
        batchCount += 1;
        return sender.sendBatch();
      };
      return { ...sender, sendBatch };
    };
    fixture.relay({ events: { ...events, openSender } });
    const handledIds = new Set<string>();
    fixture.consume({
      events,
      retryDelaysMs: [600_000],
      handle: async ({ id }) => {
        handledIds.add(id);
        throw new Error('never');
      },
    });
    await eventually(() => handledIds.size > 400);
    const pollTwice = (): Promise<unknown> => {
      const before = batchCount;
      return eventually(() => batchCount > before + 1);
    };
    await pollTwice();
    const inFlightCount = handledIds.size;
    expect(inFlightCount).toBeLessThanOrEqual(500);
    await pollTwice();
    expect(handledIds.size).toBe(inFlightCount);
  });

  it('that a broker acknowledged before are delivered again', async () => {
    const ids = await fixture.write({}, {});
    await fixture.rows(`UPDATE outbox SET published_at = now(), stream_mark = '2026-01-02',
      stream_sequence = 1 WHERE id = '${ids[0]}' RETURNING id`);
    fixture.relay();
    const received = fixture.collect();
    await eventually(async () => received.length === 2 && (await fixture.isDrained()));
    expect(received.map(({ event }) => event.id)).toEqual(ids);
  });

  it('that a broker acknowledged before are requeued in batches', async () => {
    const { database, log } = fixture;
    await fixture.rows(`INSERT INTO outbox (id, workspace_id, type, occurred_at, trace, payload,
        published_at, stream_mark, stream_sequence)
      SELECT gen_random_uuid(), 'ws_a', 'order.placed', now(), '{}', '', now(), '2026-01-02', n
      FROM generate_series(1, 1001) AS n RETURNING id`);
    const sender = createLocalEvents(TOPOLOGY).openSender({
      database,
      log,
      source: 'test',
      onReady: () => {},
      onFailure: () => {},
    });
    const waiting = 'SELECT id FROM outbox WHERE published_at IS NULL';
    for (const count of [1_000, 1_001]) {
      expect(await sender.sendBatch()).toEqual({ publications: [], hasMore: true });
      expect(await fixture.rows(waiting)).toHaveLength(count);
    }
    sender.stop();
  });

  it('have no undeclared consumers', () => {
    expect(() => fixture.consume({ durable: 'unknown', handle: async () => {} })).toThrow(
      'declares no consumer unknown',
    );
  });
});

describe('matchesFilter', () => {
  it.each([
    ['events.v1.>', true],
    ['events.v1.ws_a.order.placed', true],
    ['events.v1.*.order.placed', true],
    ['events.v1.*.order', false],
    ['events.v1.ws_b.>', false],
    ['events.v1.ws_a.order.placed.>', false],
    ['events.*.order.placed', false],
  ])('%s -> %s', (filter, matches) => {
    expect(matchesFilter('events.v1.ws_a.order.placed', filter)).toBe(matches);
  });
});
