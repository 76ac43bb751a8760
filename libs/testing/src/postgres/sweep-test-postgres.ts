import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getClaimState } from '../../../../tools/stack/src/postgres/claim-place.ts';
import { deleteEmbeddedPostgres } from '../../../../tools/stack/src/postgres/open-embedded-postgres.ts';
import { TEST_POSTGRES_PREFIX, toServerDir } from './open-test-postgres.ts';

// A folder is unclaimed for a moment while its server is being made.
const YOUNG_MS = 10 * 60_000;

/**
 * Shuts down and deletes the test servers whose test run was killed. A leftover that cannot be
 * deleted is told in one line and costs this run nothing.
 */
export async function sweepTestPostgres(log: (line: string) => void): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names.filter((entry) => entry.startsWith(TEST_POSTGRES_PREFIX))) {
    const home = join(tmpdir(), name);
    try {
      if (!(await isAbandoned(home))) continue;
      await deleteEmbeddedPostgres({ dir: toServerDir(home), log });
      await rm(home, { recursive: true, force: true });
    } catch (error) {
      log(`A leftover test server in ${home} could not be removed: ${String(error)}`);
    }
  }
}

async function isAbandoned(home: string): Promise<boolean> {
  const { uid, mtimeMs } = await stat(home);
  if (uid !== process.getuid?.()) return false;
  const state = await getClaimState(toServerDir(home));
  return state === 'unclaimed' ? Date.now() - mtimeMs > YOUNG_MS : state === 'abandoned';
}
