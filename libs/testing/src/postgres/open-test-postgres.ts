import { rm } from 'node:fs/promises';
import {
  deleteEmbeddedPostgres,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '@witan/stack/postgres/open-embedded-postgres';

import { createTestServerHome, toServerDir } from './test-server-home.ts';

/** A private server. `dir` is for opening it again by `openEmbeddedPostgres` after a kill. */
export type TestPostgres = EmbeddedPostgres & AsyncDisposable & { dir: string };

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
    return { ...server, dir, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await discard();
    throw error;
  }
}

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
