import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@witan/service-kit';
import { Client } from 'pg';
import { DUE_CHANNEL } from './announce-due.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Before a lost connection is made again, in milliseconds. */
const AGAIN_MS = 500;

/**
 * Listens on a connection of its own, made again whenever it is lost: `wake` is called for every
 * announcement, and for each new connection, because nobody knows what was missed.
 */
export const openWakeups = ({
  url,
  wake,
  log,
}: {
  url: string;
  wake: () => void;
  log: Log;
}): { stop: () => Promise<void> } => {
  const stopping = new AbortController();
  const listening = (async () => {
    while (!stopping.signal.aborted) {
      await listen(url, wake, stopping.signal).catch((err: unknown) => {
        if (!stopping.signal.aborted)
          log.warn({ err }, 'does not hear what is due; connects again');
      });
      await pause(AGAIN_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {
        // It stops.
      });
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await listening;
    },
  };
};

/** Resolves when told to stop; rejects when the connection is lost. */
const listen = async (url: string, wake: () => void, stopping: AbortSignal): Promise<void> => {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  // Nobody waits for it yet while the client connects.
  over.catch(() => {});
  const onStop = (): void => resolve();
  stopping.addEventListener('abort', onStop, { once: true });
  client.on('error', reject);
  client.on('end', () => reject(new Error('The connection ended.')));
  client.on('notification', wake);
  try {
    await client.connect();
    await client.query(`LISTEN ${DUE_CHANNEL}`);
    wake();
    if (!stopping.aborted) await over;
  } finally {
    stopping.removeEventListener('abort', onStop);
    await client.end();
  }
};
