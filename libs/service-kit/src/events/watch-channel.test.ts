import { describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { openBoxes } from '../../test/events/open-boxes.ts';
import { watchChannel } from './watch-channel.ts';

const LISTENING = `
  FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`;

describe('a watched channel', () => {
  it('is heard from the first moment, again after a lost connection, and no more', async () => {
    await using boxes = await openBoxes();
    const { database, log } = boxes;
    let heard = 0;
    const watch = watchChannel({
      database,
      channelSql: `'a "channel" of ' || current_schema()`,
      onNotify: () => (heard += 1),
      log,
    });
    const notify = (): Promise<unknown> =>
      boxes.rows(`SELECT pg_notify('a "channel" of ' || current_schema(), '')`);
    await eventually(() => heard === 1);
    await notify();
    await eventually(() => heard === 2);
    // From the other pool: the connection that ends must not be the one that asks for it.
    await boxes.rows(`SELECT pg_terminate_backend(pid) ${LISTENING}`);
    await eventually(() => heard === 3);
    await notify();
    await eventually(() => heard === 4);
    await watch.stop();
    await eventually(async () => (await boxes.rows(`SELECT pid ${LISTENING}`)).length === 0);
    await notify();
    expect(heard).toBe(4);
  });
});
