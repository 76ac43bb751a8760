import { describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { openEventDatabase } from '../../test/events/open-event-database.ts';
import { watchChannel } from './watch-channel.ts';

const LISTENING = `
  FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`;

describe('watchChannel', () => {
  it('calls back at the start and after a lost connection, but not after stop', async () => {
    await using eventDatabase = await openEventDatabase();
    const { database, log } = eventDatabase;
    let notified = 0;
    const watch = watchChannel({
      database,
      channelSql: `'a "channel" of ' || current_schema()`,
      onNotify: () => (notified += 1),
      log,
    });
    const notify = (): Promise<unknown> =>
      eventDatabase.rows(`SELECT pg_notify('a "channel" of ' || current_schema(), '')`);
    await eventually(() => notified === 1);
    await notify();
    await eventually(() => notified === 2);
    // Uses another pool, so that the query does not terminate its own connection.
    await eventDatabase.rows(`SELECT pg_terminate_backend(pid) ${LISTENING}`);
    await eventually(() => notified === 3);
    await notify();
    await eventually(() => notified === 4);
    await watch.stop();
    await eventually(
      async () => (await eventDatabase.rows(`SELECT pid ${LISTENING}`)).length === 0,
    );
    await notify();
    expect(notified).toBe(4);
  });
});
