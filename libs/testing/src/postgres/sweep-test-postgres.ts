import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getLockState } from '@witan/stack/postgres/lock-directory';
import { deleteEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';
import { isTestServerHome, testServerRoots, toServerDir } from './test-server-home.ts';

// Minimum age at which a directory without a lock is deleted, because it has no lock while its
// server is being created.
const LOCK_GRACE_MS = 10 * 60_000;

/**
 * Stops the servers that killed test runs left behind and deletes their directories. A failure is
 * only logged.
 */
export async function sweepTestPostgres(log: (line: string) => void): Promise<void> {
  for (const home of await findHomes()) {
    try {
      if (!(await isAbandoned(home))) continue;
      await deleteEmbeddedPostgres({ dir: toServerDir(home), log });
      await rm(home, { recursive: true, force: true });
    } catch (error) {
      log(`A leftover test server in ${home} could not be removed: ${String(error)}`);
    }
  }
}

async function findHomes(): Promise<string[]> {
  const roots = testServerRoots().filter((root) => existsSync(root));
  const found = await Promise.all(
    roots.map(async (root) => {
      const names = await readdir(root);
      return names.filter(isTestServerHome).map((name) => join(root, name));
    }),
  );
  return found.flat();
}

async function isAbandoned(home: string): Promise<boolean> {
  const { uid, mtimeMs } = await stat(home);
  if (uid !== process.getuid?.()) return false;
  const state = await getLockState(toServerDir(home));
  return state === 'unlocked' ? Date.now() - mtimeMs > LOCK_GRACE_MS : state === 'abandoned';
}
