import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteEmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import { getLockState } from '@witan/stack/postgres/lock-directory';

const PREFIX = 'witan-test-';

export const toNatsDir = (home: string): string => join(home, 'nats');

export const createTestNatsHome = (): Promise<string> => mkdtemp(join(tmpdir(), `${PREFIX}nats-`));

export const findTestNatsHomes = async (): Promise<string[]> => {
  const names = await readdir(tmpdir());
  return names
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name))
    .filter((home) => existsSync(toNatsDir(home)));
};

// Minimum age at which a directory without a lock is deleted. A directory has no lock while its
// server is being created, or after a test killed the server.
const LOCK_GRACE_MS = 10 * 60_000;

/**
 * Stops brokers left behind by test runs that were killed, and deletes their directories. If one
 * cannot be removed, this is only logged.
 */
export const sweepTestNats = async (log: (line: string) => void): Promise<void> => {
  for (const home of await findTestNatsHomes()) {
    try {
      if (!(await isAbandoned(home))) continue;
      await deleteEmbeddedNats({ dir: toNatsDir(home), log });
      await rm(home, { recursive: true, force: true });
    } catch (error) {
      log(`A leftover test broker in ${home} could not be removed: ${String(error)}`);
    }
  }
};

const isAbandoned = async (home: string): Promise<boolean> => {
  const { uid, mtimeMs } = await stat(home);
  if (uid !== process.getuid?.()) return false;
  // If locked, the directory belongs to a running test system that may have stopped its broker for
  // the moment.
  if ((await getLockState(home)) === 'locked') return false;
  const state = await getLockState(toNatsDir(home));
  return state === 'unlocked' ? Date.now() - mtimeMs > LOCK_GRACE_MS : state === 'abandoned';
};
