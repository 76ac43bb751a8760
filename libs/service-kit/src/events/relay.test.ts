import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, NATS_MISSING } from '@witan/testing';
import { Registry } from 'prom-client';
import { openEventFixture, TOPOLOGY } from '../../test/events/open-event-fixture.ts';
import type { EventFixture } from '../../test/events/open-event-fixture.ts';
import { everyWorkspace, workspaceScope } from '../database/scope.ts';
import { writeEvent } from './write-event.ts';

const idOf = ({ headers }: { headers: Record<string, string> }): string => headers['Nats-Msg-Id']!;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UNPUBLISHED = 'SELECT id FROM outbox WHERE published_at IS NULL AND dead_at IS NULL';

const itWithBroker = NATS_MISSING ? it.skip : it;

describe(`a relay${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let fixture: EventFixture;
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });
  const isOutboxEmpty = async (): Promise<boolean> =>
    (await fixture.rows(UNPUBLISHED)).length === 0;

  itWithBroker('publishes a committed event once, with CloudEvents headers', async () => {
    fixture = await openEventFixture();
    const occurredAt = new Date('2026-01-02T03:04:05.678Z');
    const [id] = await fixture.write({ occurredAt });
    fixture.relay();
    await eventually(isOutboxEmpty);
    expect(id).toMatch(UUID_V7);
    expect(await fixture.stored()).toEqual([
      {
        subject: 'events.v1.ws_a.order.placed',
        headers: {
          'Nats-Msg-Id': id,
          'ce-specversion': '1.0',
          'ce-id': id,
          'ce-source': 'test',
          'ce-type': 'order.placed',
          'ce-time': '2026-01-02T03:04:05.678Z',
        },
        payload: Uint8Array.of(1, 2, 3),
      },
    ]);
  });

  itWithBroker('publishes nothing of a transaction that is rolled back', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const failing = fixture.database.scoped(workspaceScope('ws_a'), async (em) => {
      await writeEvent(em, {
        workspaceId: 'ws_a',
        type: 'order.placed',
        payload: new Uint8Array(),
      });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    const [id] = await fixture.write({});
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual([id]);
  });

  itWithBroker('publishes the backlog of an outage in order, at most twice', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const before = await fixture.write({}, {}, {});
    await eventually(isOutboxEmpty);
    await fixture.server.kill('SIGKILL');
    const during = await fixture.write(...Array.from({ length: 250 }, () => ({})));
    await fixture.server.restart();
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual([...before, ...during]);
  });

  itWithBroker('loses no event when the broker is killed repeatedly under load', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const ids: string[] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      const writing = fixture.write(...Array.from({ length: 150 }, () => ({})));
      await eventually(async () => (await fixture.stored()).length > ids.length + 20);
      await fixture.server.kill('SIGKILL');
      ids.push(...(await writing));
      await fixture.server.restart();
    }
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual(ids);
  });

  itWithBroker('republishes events that the broker acknowledged and lost', async () => {
    fixture = await openEventFixture();
    fixture.relay();
    const ids = await fixture.write({}, {}, {});
    await eventually(isOutboxEmpty);
    await fixture.server.wipe();
    await fixture.server.restart();
    const [laterId] = await fixture.write({});
    const stored = async (): Promise<string[]> =>
      (await fixture.stored().catch(() => [])).map(idOf);
    await eventually(async () => (await stored()).length === 4);
    expect(new Set(await stored())).toEqual(new Set([...ids, laterId]));
  });

  itWithBroker(
    'continues after lost database connections, without NOTIFY and with it',
    async () => {
      fixture = await openEventFixture();
      fixture.relay();
      await fixture.write({});
      await eventually(isOutboxEmpty);
      await fixture.database.pool
        .query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = current_user`)
        .catch(() => undefined);
      const ids = [];
      for (let written = 0; written < 3; written += 1) {
        ids.push(...(await fixture.write({}).catch(() => [])));
        await eventually(isOutboxEmpty);
      }
      expect((await fixture.stored()).map(idOf)).toEqual(expect.arrayContaining(ids));
    },
  );

  itWithBroker('publishes once and in order when two relays run', async () => {
    fixture = await openEventFixture();
    const otherDatabase = await fixture.openDatabase();
    fixture.relay();
    fixture.relay({ database: otherDatabase, broker: await fixture.connectBroker() });
    const ids = await fixture.write(...Array.from({ length: 200 }, () => ({})));
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual(ids);
  });

  itWithBroker('marks oversized or rejected events dead, and publishes later ones', async () => {
    fixture = await openEventFixture();
    await fixture.manage((manager) => manager.streams.update('EVENTS', { max_msg_size: 10_000 }));
    const registry = new Registry();
    const [tooLargeId, refusedId, acceptedId] = await fixture.write(
      { payload: new Uint8Array(2 * 1024 * 1024) },
      { payload: new Uint8Array(20_000) },
      {},
    );
    fixture.relay({ registry });
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual([acceptedId]);
    const dead = 'SELECT id, error_class FROM outbox WHERE dead_at IS NOT NULL ORDER BY position';
    expect(await fixture.rows(dead)).toEqual([
      { id: tooLargeId, error_class: 'too_large' },
      { id: refusedId, error_class: 'too_large' },
    ]);
    const { values } = await registry.getSingleMetric('outbox_dead_total')!.get();
    expect(values).toEqual([{ labels: { error_class: 'too_large' }, value: 2 }]);
  });

  itWithBroker('marks an event with an invalid type dead, and publishes later ones', async () => {
    fixture = await openEventFixture();
    const [invalidId, validId] = await fixture.write({}, {});
    await fixture.database.scoped(everyWorkspace, (em) =>
      em.execute('UPDATE outbox SET type = ? WHERE id = ?', ['order placed', invalidId]),
    );
    fixture.relay();
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual([validId]);
    const dead = 'SELECT id, error_class FROM outbox WHERE dead_at IS NOT NULL';
    expect(await fixture.rows(dead)).toEqual([{ id: invalidId, error_class: 'invalid_subject' }]);
  });

  itWithBroker('retains events without a stream, and recreates the stream', async () => {
    fixture = await openEventFixture();
    await fixture.manage((manager) => manager.streams.delete('EVENTS'));
    const ids = await fixture.write({}, {});
    fixture.relay();
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual(ids);
    const streams = await fixture.manage((manager) => manager.streams.info('EVENTS'));
    expect(streams.config.subjects).toEqual(TOPOLOGY.streams[0]!.subjects);
  });
});
