import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  deleteEmbeddedPostgres,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '@witan/stack/postgres/open-embedded-postgres';
import { Client } from 'pg';
import { createTestServerHome, toServerDir } from './test-server-home.ts';

export type TestPostgres = EmbeddedPostgres &
  AsyncDisposable & {
    dir: string;
    /** Kills the server with SIGKILL and waits until all backend processes have exited. */
    kill: () => Promise<void>;
  };

/**
 * Starts a private PostgreSQL server in a temporary directory. Disposing stops the server and
 * deletes the directory. Tests that kill the server must set `durable`, because otherwise its last
 * commits may be lost.
 */
export async function openTestPostgres(options: { durable?: boolean } = {}): Promise<TestPostgres> {
  const { durable = false } = options;
  const home = await createTestServerHome({ inMemory: !durable });
  const dir = toServerDir(home);
  const discard = async (): Promise<void> => {
    await deleteEmbeddedPostgres({ dir, log });
    await rm(home, { recursive: true, force: true });
  };
  try {
    const server = await openEmbeddedPostgres({ dir, durable, log });
    const dispose = async (): Promise<void> => {
      await server.stop();
      await discard();
    };
    return { ...server, dir, kill: () => kill(server), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await discard();
    throw error;
  }
}

const POLL_MS = 5;

/**
 * Kills the server and waits for its backend processes, which exit slightly later than the server
 * and until then still answer queries.
 */
const kill = async (server: EmbeddedPostgres): Promise<void> => {
  const client = new Client({ connectionString: server.url });
  // The connection breaks when the server is killed; without this listener the error would end the
  // test process.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
  while (rows.some(({ pid }) => isAlive(pid))) await pause(POLL_MS);
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
};

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
