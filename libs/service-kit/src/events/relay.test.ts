import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { TRANSPORTS } from '../../test/events/open-event-fixture.ts';
import type { EventFixture } from '../../test/events/open-event-fixture.ts';
import { everyWorkspace, workspaceScope } from '../database/scope.ts';
import { writeEvent } from './write-event.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(TRANSPORTS)('a relay to $name', ({ open, isSkipped }) => {
  const itOver = isSkipped ? it.skip : it;
  let fixture: EventFixture;
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  itOver('publishes a committed event once, with CloudEvents headers', async () => {
    fixture = await open();
    const occurredAt = new Date('2026-01-02T03:04:05.678Z');
    const [id] = await fixture.write({ occurredAt });
    fixture.relay();
    const received = fixture.collect();
    await eventually(fixture.isDrained);
    expect(id).toMatch(UUID_V7);
    expect(received).toHaveLength(1);
    const { event, headers } = received[0]!;
    expect({ ...event, payload: [...event.payload] }).toEqual({
      id,
      workspaceId: 'ws_a',
      type: 'order.placed',
      occurredAt,
      payload: [1, 2, 3],
    });
    expect(headers).toMatchObject({
      'ce-specversion': '1.0',
      'ce-id': id,
      'ce-source': 'test',
      'ce-type': 'order.placed',
      'ce-time': '2026-01-02T03:04:05.678Z',
    });
  });

  itOver('publishes nothing of a transaction that is rolled back', async () => {
    fixture = await open();
    fixture.relay();
    const received = fixture.collect();
    const failing = fixture.database.scoped(workspaceScope('ws_a'), async (em) => {
      await writeEvent(em, {
        workspaceId: 'ws_a',
        type: 'order.placed',
        payload: new Uint8Array(),
      });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    const ids = await fixture.write({});
    await eventually(fixture.isDrained);
    expect(received.map(({ event }) => event.id)).toEqual(ids);
  });

  itOver('continues after lost database connections, without NOTIFY and with it', async () => {
    fixture = await open();
    fixture.relay();
    const received = fixture.collect();
    await fixture.write({});
    await eventually(fixture.isDrained);
    await fixture.database.pool
      .query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = current_user`)
      .catch(() => undefined);
    const ids = [];
    for (let written = 0; written < 3; written += 1) {
      ids.push(...(await fixture.write({}).catch(() => [])));
      await eventually(async () => fixture.isDrained().catch(() => false));
    }
    expect(received.map(({ event }) => event.id)).toEqual(expect.arrayContaining(ids));
  });

  itOver('marks an event with an invalid type dead, and publishes later ones', async () => {
    fixture = await open();
    const [invalidId, validId] = await fixture.write({}, {});
    await fixture.database.scoped(everyWorkspace, (em) =>
      em.execute('UPDATE outbox SET type = ? WHERE id = ?', ['order placed', invalidId]),
    );
    fixture.relay();
    const received = fixture.collect();
    await eventually(fixture.isDrained);
    expect(received.map(({ event }) => event.id)).toEqual([validId]);
    const dead = 'SELECT id, error_class FROM outbox WHERE dead_at IS NOT NULL';
    expect(await fixture.rows(dead)).toEqual([{ id: invalidId, error_class: 'invalid_subject' }]);
  });
});
