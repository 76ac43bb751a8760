import type { PoolClient } from 'pg';
import { limitSilence } from '../database/close-silent-connections.ts';
import type { Database } from '../database/open-database.ts';
import type { Log } from '../log/create-log.ts';
import { createWakeSignal } from '../schedule/wake-signal.ts';

const RETRY_MS = 1_000;
const IDLE_MS = 60_000;

/**
 * Calls `onNotify` at every NOTIFY of a channel until stopped, and whenever it starts to listen,
 * because it misses earlier notifications. Callers must poll as well. Uses one connection of the
 * pool.
 */
export const watchChannel = (options: {
  database: Database;
  channelSql: string;
  onNotify: () => void;
  log: Log;
}): { stop: () => Promise<void> } => {
  const { database, channelSql, onNotify, log } = options;
  const wakeSignal = createWakeSignal();
  let isStopping = false;
  const watch = async (client: PoolClient): Promise<void> => {
    let isLost = false;
    const onEnd = (): void => {
      isLost = true;
      wakeSignal.notify();
    };
    client.on('notification', onNotify);
    client.once('end', onEnd);
    try {
      const { rows } = await client.query<{ command: string }>(
        `SELECT format('LISTEN %I', ${channelSql}) AS command`,
      );
      await client.query(rows[0]!.command);
      limitSilence(client, 0);
      onNotify();
      while (!isLost && !isStopping) await wakeSignal.wait(IDLE_MS);
    } finally {
      client.off('notification', onNotify);
      client.off('end', onEnd);
      // Destroys the connection instead of reusing it, because it would still listen to the
      // channel.
      client.release(true);
    }
  };
  const run = async (): Promise<void> => {
    while (!isStopping) {
      try {
        await watch(await database.pool.connect());
      } catch (err) {
        log.debug({ event: 'listen_failed', err }, 'LISTEN failed, will retry; polling continues');
      }
      if (!isStopping) await wakeSignal.wait(RETRY_MS);
    }
  };
  const running = run();
  return {
    stop: async () => {
      isStopping = true;
      wakeSignal.notify();
      await running;
    },
  };
};
