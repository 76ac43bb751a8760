import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@witan/testing';
import { openEventDatabase } from '../../test/events/open-event-database.ts';
import type { EventDatabase } from '../../test/events/open-event-database.ts';
import { sweepInbox } from './inbox.ts';
import { readOutboxState, sweepOutbox } from './outbox-store.ts';
import { republishEvents, requeueLostEvents, requeueStreamEvents } from './requeue-events.ts';

const UNPUBLISHED = `SELECT id FROM outbox WHERE published_at IS NULL AND dead_at IS NULL
  ORDER BY position`;
const HOUR_MS = 3_600_000;

describe('an outbox', () => {
  let eventDatabase: EventDatabase;
  beforeEach(async () => {
    eventDatabase = await openEventDatabase();
  });
  afterEach(async () => {
    await eventDatabase[Symbol.asyncDispose]();
  });
  const unpublishedIds = async (): Promise<string[]> =>
    (await eventDatabase.rows(UNPUBLISHED)).map(({ id }) => id as string);
  const setState = (id: string, assignments: string, age = '0 days'): Promise<unknown> =>
    eventDatabase.rows(`UPDATE outbox SET created_at = now() - interval '${age}', ${assignments}
      WHERE id = '${id}' RETURNING id`);
  const published = (sequence: number, mark = '2026-01-02', age = '0 days'): string =>
    `published_at = now() - interval '${age}', stream_mark = '${mark}',
     stream_sequence = ${sequence}`;
  const markedDead = `dead_at = now(), error_class = 'refused'`;

  it('requeues events published or dead since a moment, with the same ids', async () => {
    const [oldId, sentId, deadId, freshId] = await eventDatabase.write({}, {}, {}, {});
    await setState(oldId!, published(1), '2 days');
    await setState(sentId!, published(2));
    await setState(deadId!, markedDead);
    expect(await republishEvents(eventDatabase.databaseUrl, new Date(Date.now() - HOUR_MS))).toBe(
      2,
    );
    expect(await unpublishedIds()).toEqual([sentId, deadId, freshId]);
  });

  it('returns undefined for a schema without an outbox', async () => {
    await using otherDatabase = await createTestDatabase(['ledger']);
    expect(await republishEvents(otherDatabase.urls['ledger']!, new Date())).toBeUndefined();
  });

  it('requeues events of an earlier stream, and events after the end of the stream', async () => {
    const [earlierId, retainedId, lostId] = await eventDatabase.write({}, {}, {});
    await setState(earlierId!, published(7, '2026-01-01'));
    await setState(retainedId!, published(3));
    await setState(lostId!, published(4));
    const stream = { mark: '2026-01-02', lastSequence: 3 };
    expect(await requeueLostEvents(eventDatabase.database, stream)).toBe(2);
    expect(await unpublishedIds()).toEqual([earlierId, lostId]);
    expect(await requeueLostEvents(eventDatabase.database, stream)).toBe(0);
  });

  it('requeues no event without a stream, and all others if the stream is given up', async () => {
    const [localId, streamId] = await eventDatabase.write({}, {});
    await setState(localId!, 'published_at = now()');
    await setState(streamId!, published(3));
    const stream = { mark: '2026-01-02', lastSequence: 3 };
    expect(await requeueLostEvents(eventDatabase.database, stream)).toBe(0);
    expect(await requeueStreamEvents(eventDatabase.database)).toEqual({
      requeued: 1,
      hasMore: false,
    });
    expect(await unpublishedIds()).toEqual([streamId]);
  });

  it('deletes only events that were published more than 7 days ago', async () => {
    const [oldId, recentId, deadId, lateId] = await eventDatabase.write({}, {}, {}, {});
    await setState(oldId!, published(1, 'x', '8 days'), '8 days');
    await setState(recentId!, published(2, 'x', '6 days'), '8 days');
    await setState(deadId!, markedDead, '30 days');
    await setState(lateId!, 'published_at = NULL', '30 days');
    expect(await sweepOutbox(eventDatabase.database)).toBe(1);
    const remaining = await eventDatabase.rows('SELECT id FROM outbox ORDER BY position');
    expect(remaining.map(({ id }) => id)).toEqual([recentId, deadId, lateId]);
    const state = await readOutboxState(eventDatabase.database);
    expect(state).toEqual({ waiting: 1, dead: 1, oldestSeconds: expect.any(Number) });
    expect(Math.round(state.oldestSeconds / 86_400)).toBe(30);
  });

  it('deletes inbox ids after 30 days', async () => {
    await eventDatabase.rows(`INSERT INTO inbox VALUES ('a', now() - interval '31 days'),
      ('b', now() - interval '29 days') RETURNING fact_id`);
    expect(await sweepInbox(eventDatabase.database)).toBe(1);
    expect(await eventDatabase.rows('SELECT fact_id FROM inbox')).toEqual([{ fact_id: 'b' }]);
  });
});
