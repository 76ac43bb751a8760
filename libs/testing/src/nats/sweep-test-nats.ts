import { rm, stat } from 'node:fs/promises';
import { deleteEmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import { getLockState } from '@witan/stack/postgres/lock-directory';
import { findTestNatsHomes, toNatsDir } from './test-nats-home.ts';

// Minimum age at which a directory without a lock is deleted. A directory has no lock while its
// server is being created, or after a test killed the server.
const LOCK_GRACE_MS = 10 * 60_000;

/**
 * Stops brokers left behind by test runs that were killed, and deletes their directories. Failures
 * are only logged.
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
