import { rm, stat } from 'node:fs/promises';
import { deleteEmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import { getClaimState } from '@witan/stack/postgres/lock-directory';
import { findTestNatsHomes, toNatsDir } from './test-nats-home.ts';

// A folder is unclaimed for a moment while its server is made, and while a test has it killed.
const YOUNG_MS = 10 * 60_000;

/**
 * Ends and deletes the brokers whose test run was killed. A leftover that cannot be deleted is told
 * in one line and costs this run nothing.
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
  // A test system's, which may do without its broker.
  if ((await getClaimState(home)) === 'held') return false;
  const state = await getClaimState(toNatsDir(home));
  return state === 'unclaimed' ? Date.now() - mtimeMs > YOUNG_MS : state === 'abandoned';
};
