import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';

const SEED_MAX = 2 ** 32;

/** Returns the seed of the option, or a random one. */
export const chooseSeed = (option: string | undefined): number =>
  option ? Number(option) : Math.floor(Math.random() * SEED_MAX);

/**
 * Runs `work` with a new home folder for the system under test. If `work` returns violations, the
 * folder stays and the exit code is set to 1; otherwise the folder is deleted.
 */
export const withHome = async (
  title: string,
  work: (home: string) => Promise<readonly string[]>,
): Promise<void> => {
  const home = await mkdtemp(join(tmpdir(), 'witan-faults-'));
  process.stdout.write(`${title}; state and logs in ${home}\n`);
  if ((await work(home)).length > 0) {
    process.exitCode = 1;
    process.stdout.write(`Its state is stored in ${home}.\n`);
    return;
  }
  // As root, the database server stores its files outside the home folder, so they are deleted
  // separately.
  await deleteEmbeddedPostgres({ dir: join(home, 'postgres'), log: () => {} });
  await rm(home, { recursive: true, force: true });
};
