import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deleteEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';
import { createRandom } from '../faults/random.ts';
import { openProvider } from './open-provider.ts';
import { printReport, writeReport } from './report.ts';
import { runSoak } from './run-soak.ts';

const SEED_MAX = 2 ** 32;
const MINUTES = 30;
const MINUTES_MAX = 24 * 60;

/**
 * Implements `npm run soak`: streams calls for half an hour, of which clients abort almost a third,
 * and checks that memory, connections and reservations do not leak.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string' }, seed: { type: 'string' } },
  });
  const minutes = Number(values.minutes ?? MINUTES);
  if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
    throw new Error(`--minutes takes a number up to ${MINUTES_MAX}, not "${values.minutes}".`);
  }
  const seed = values.seed ? Number(values.seed) : Math.floor(Math.random() * SEED_MAX);
  const home = await mkdtemp(join(tmpdir(), 'witan-soak-'));
  const provider = await openProvider();
  process.stdout.write(`seed ${seed}; state and logs in ${home}\n`);
  try {
    const outcome = await runSoak({ home, provider, random: createRandom(seed), minutes });
    printReport(outcome);
    if (outcome.memory.isJudged) {
      process.stdout.write(`stored in ${await writeReport(outcome, seed)}\n`);
    }
    if (outcome.violations.length > 0) {
      process.exitCode = 1;
      process.stdout.write(`Its state is stored in ${home}.\n`);
    } else {
      // As root, the database server stores its files outside the home folder, so they are deleted
      // separately.
      await deleteEmbeddedPostgres({ dir: join(home, 'postgres'), log: () => {} });
      await rm(home, { recursive: true, force: true });
    }
  } finally {
    await provider.close();
  }
};

await main();
