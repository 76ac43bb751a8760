import type { PoolClient } from 'pg';
import type { Database } from '../database/open-database.ts';
import type { Log } from '../log/create-log.ts';
import { createWakeSignal } from './wake-signal.ts';

const AGAIN_MS = 1_000;
/** It only looks whether it was stopped meanwhile. */
const IDLE_MS = 60_000;

/**
 * Calls at every NOTIFY of a channel until it is stopped, and whenever it begins to listen again:
 * what was notified in between is lost. It may be deaf for a while, so its caller looks now and
 * then besides. Takes one connection of the pool.
 */
export const watchChannel = (options: {
  database: Database;
  /** SQL that names the channel. */
  channelSql: string;
  onNotify: () => void;
  log: Log;
}): { stop: () => Promise<void> } => {
  const { database, channelSql, onNotify, log } = options;
  const bell = createWakeSignal();
  let isStopping = false;
  const watch = async (client: PoolClient): Promise<void> => {
    let isLost = false;
    const onEnd = (): void => {
      isLost = true;
      bell.ring();
    };
    client.on('notification', onNotify);
    client.once('end', onEnd);
    try {
      const { rows } = await client.query<{ command: string }>(
        `SELECT format('LISTEN %I', ${channelSql}) AS command`,
      );
      await client.query(rows[0]!.command);
      onNotify();
      while (!isLost && !isStopping) await bell.heard(IDLE_MS);
    } finally {
      client.off('notification', onNotify);
      client.off('end', onEnd);
      // Whoever got this connection next would listen, too.
      client.release(true);
    }
  };
  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        await watch(await database.pool.connect());
      } catch (err) {
        log.debug({ err }, 'cannot listen for the moment; polls go on');
      }
      if (!isStopping) await bell.heard(AGAIN_MS);
    }
  };
  const running = run();
  return {
    stop: async () => {
      isStopping = true;
      bell.ring();
      await running;
    },
  };
};
