import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  deleteEmbeddedPostgres,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '@witan/stack/postgres/open-embedded-postgres';
import { Client } from 'pg';
import { createTestServerHome, toServerDir } from './test-server-home.ts';

/** A private server. `dir` is for opening it again by `openEmbeddedPostgres` after a kill. */
export type TestPostgres = EmbeddedPostgres &
  AsyncDisposable & {
    dir: string;
    /** `kill -9`; resolves when nobody is left who would answer an open connection. */
    kill: () => Promise<void>;
  };

/**
 * Starts a PostgreSQL server of the test's own in a temporary folder; disposing stops it and
 * deletes the folder. `durable: false`, the default, is faster and may lose its last commits when
 * the server is killed: a test of kills says `durable: true`.
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

/** The processes behind its connections outlive their server for a moment, and still answer. */
const kill = async (server: EmbeddedPostgres): Promise<void> => {
  const client = new Client({ connectionString: server.url });
  // It breaks with the server.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
  while (rows.some(({ pid }) => isThere(pid))) await pause(POLL_MS);
};

const isThere = (pid: number): boolean => {
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
