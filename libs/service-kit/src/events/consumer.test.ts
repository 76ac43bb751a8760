import { afterEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@witan/contracts';
import { propagation } from '@opentelemetry/api';
import { eventually } from '@witan/testing';
import { TRANSPORTS } from '../../test/events/open-event-fixture.ts';
import type { EventFixture } from '../../test/events/open-event-fixture.ts';
import { createReader } from '../../test/events/create-reader.ts';
import { everyWorkspace } from '../database/scope.ts';
import { markEventDead } from './inbox.ts';
import type { Poison } from './inbox.ts';
import type { DomainEvent } from './event.ts';

const SHORT_DELAYS = { retryDelaysMs: [20], outageDelaysMs: [20] };
/** Several times the number of events that a relay reads at once. */
const BACKLOG = 620;

describe.each(TRANSPORTS)('a consumer over $name', ({ open, isSkipped }) => {
  const itOver = isSkipped ? it.skip : it;
  let fixture: EventFixture;
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  itOver('delivers events in order, with their trace, and acknowledges them', async () => {
    fixture = await open();
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
    await eventually(fixture.isDrained);
    await consumer.stop();
  });

  itOver('delivers a backlog from before its start once and in order', async () => {
    fixture = await open();
    const ids = await fixture.write(...Array.from({ length: BACKLOG }, () => ({})));
    fixture.relay();
    const reader = createReader(fixture.database);
    fixture.consume(reader);
    await eventually(fixture.isDrained);
    expect(reader.seen).toEqual(ids);
  });

  itOver('continues after a stop with the events written meanwhile', async () => {
    fixture = await open();
    fixture.relay();
    const reader = createReader(fixture.database);
    const consumer = fixture.consume(reader);
    const before = await fixture.write({}, {});
    await eventually(fixture.isDrained);
    await consumer.stop();
    const meanwhile = await fixture.write({}, {}, {});
    expect(await fixture.isDrained()).toBe(false);
    fixture.consume(reader);
    await eventually(fixture.isDrained);
    expect(reader.seen).toEqual([...before, ...meanwhile]);
  });

  itOver('retries an event whose handler fails, and does not count UNAVAILABLE', async () => {
    fixture = await open();
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
    await eventually(async () => handled.length === 6 && (await fixture.isDrained()));
    expect([new Set(handled), deadEvents]).toEqual([new Set([id]), []]);
  });

  itOver('handles later events while one waits for its retry', async () => {
    fixture = await open();
    const [failing, ...others] = await fixture.write({}, {}, {});
    fixture.relay();
    const reader = createReader(fixture.database);
    let failures = 0;
    fixture.consume({
      retryDelaysMs: [500],
      handle: async (event) => {
        if (event.id === failing && failures++ === 0) throw new Error('not yet');
        await reader.handle(event);
      },
    });
    await eventually(fixture.isDrained);
    expect(reader.seen).toEqual([...others, failing]);
  });

  itOver('retains an event and later ones while a dependency is unavailable', async () => {
    fixture = await open();
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
    isUnavailable = false;
    await eventually(fixture.isDrained);
    expect(handled.at(-1)).toBe(ids[1]);
    await consumer.stop();
  });

  itOver('stores an event as dead after its last attempt, and continues', async () => {
    fixture = await open();
    fixture.relay();
    const [bad, good] = await fixture.write({ type: 'order.bad' }, {});
    const reader = createReader(fixture.database);
    let refusals = 1;
    fixture.consume({
      ...SHORT_DELAYS,
      attemptsMax: 3,
      handle: async (event) => {
        if (event.type === 'order.bad') throw new RangeError('never');
        await reader.handle(event);
      },
      onPoison: async (poison) => {
        if (refusals-- > 0) throw new Error('no room for it yet');
        await fixture.database.scoped(everyWorkspace, (em) => markEventDead(em, poison));
      },
    });
    await eventually(async () => reader.recorded.length === 1 && (await fixture.isDrained()));
    expect(reader.recorded).toEqual([good]);
    const logged = fixture.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged.find(({ event }) => event === 'dead_event_store_failed')).toMatchObject({
      reason: 'RangeError: never',
      err: { message: 'no room for it yet' },
    });
    const dead = `SELECT fact_id, workspace_id, attempts, error_class,
      encode(payload, 'hex') AS payload FROM dead_fact`;
    const parts = { workspace_id: 'ws_a', attempts: 4, error_class: 'RangeError' };
    expect(await fixture.rows(dead)).toEqual([{ fact_id: bad, ...parts, payload: '010203' }]);
  });

  itOver('leases one event at a time: a slow handler blocks no other replica', async () => {
    fixture = await open();
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
    fixture.consume({ ...reader, events: await fixture.openEvents() });
    const others = await fixture.write({}, {}, {});
    await eventually(() => reader.recorded.length === 3);
    const stopped = slowConsumer.stop();
    handlerGate.resolve();
    await stopped;
    await eventually(fixture.isDrained);
    expect([leasedId, reader.seen.filter((id) => id !== first)]).toEqual([first, others]);
  });

  itOver('handles `concurrency` events at a time', async () => {
    fixture = await open();
    fixture.relay();
    await fixture.write({}, {}, {});
    const together = Promise.withResolvers<void>();
    let running = 0;
    fixture.consume({
      concurrency: 3,
      handle: async () => {
        running += 1;
        if (running === 3) together.resolve();
        await together.promise;
      },
    });
    await together.promise;
    await eventually(fixture.isDrained);
    expect(running).toBe(3);
  });
});
