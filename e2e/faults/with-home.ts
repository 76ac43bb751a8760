import { mkdtemp, rm, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deleteEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';
import { describeMachine } from '../describe-machine.ts';

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
  // If this process runs as root, the database server may store its files outside the home folder,
  // so they are deleted separately.
  await deleteEmbeddedPostgres({ dir: join(home, 'postgres'), log: () => {} });
  await rm(home, { recursive: true, force: true });
};

const E2E = new URL('../', import.meta.url);
const DAY_LENGTH = 10;

/**
 * Writes figures to the result file of today in `folder`, which is relative to `e2e/`, and returns
 * its path. `prefix` distinguishes result files of one day.
 */
export const writeResult = async (
  { folder, prefix = '' }: { folder: string; prefix?: string },
  figures: object,
): Promise<string> => {
  const date = new Date().toISOString();
  const report = { date, machine: await describeMachine(), ...figures };
  await mkdir(new URL(`${folder}/`, E2E), { recursive: true });
  const path = `${folder}/${prefix}${date.slice(0, DAY_LENGTH)}.json`;
  await writeFile(
    fileURLToPath(new URL(path, E2E)),
    `${JSON.stringify(report, roundFractions, 2)}\n`,
  );
  return `e2e/${path}`;
};

const DIGITS = 5;

/** Rounds fractions to five significant digits; a replacer for `JSON.stringify`. */
const roundFractions = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
