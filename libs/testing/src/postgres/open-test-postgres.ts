import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  deleteEmbeddedPostgres,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../../../tools/stack/src/postgres/open-embedded-postgres.ts';

/** A private server. `dir` is for opening it again by `openEmbeddedPostgres` after a kill. */
export type TestPostgres = EmbeddedPostgres & AsyncDisposable & { dir: string };

/** Names of the folders of test servers begin with this, so that leftovers are recognised. */
export const TEST_POSTGRES_PREFIX = 'witan-test-postgres-';

/** The folder of the server inside a folder with that prefix. */
export const toServerDir = (home: string): string => join(home, 'postgres');

/**
 * Starts a PostgreSQL server of the test's own in a temporary folder; disposing stops it and
 * deletes the folder. `durable: false`, the default, is faster and may lose its last commits when
 * the server is killed: a test of kills says `durable: true`.
 */
export async function openTestPostgres(options: { durable?: boolean } = {}): Promise<TestPostgres> {
  const home = await mkdtemp(join(tmpdir(), TEST_POSTGRES_PREFIX));
  // The server runs under another account when we are root, and must pass through here.
  await chmod(home, 0o711);
  const dir = toServerDir(home);
  const discard = async (): Promise<void> => {
    await deleteEmbeddedPostgres({ dir, log });
    await rm(home, { recursive: true, force: true });
  };
  try {
    const server = await openEmbeddedPostgres({ dir, durable: options.durable ?? false, log });
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
