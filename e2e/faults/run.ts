import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deleteEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';
import { openProvider } from './open-provider.ts';
import { createRandom } from './random.ts';
import { printReport, writeReport } from './report.ts';
import { runFaults } from './run-faults.ts';

const SEED_MAX = 2 ** 32;

/** `npm run faults`: kills the parts of a running system and holds it to its promises. */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, only: { type: 'string' } },
  });
  const seed = values.seed ? Number(values.seed) : Math.floor(Math.random() * SEED_MAX);
  const random = createRandom(seed);
  const home = await mkdtemp(join(tmpdir(), 'witan-faults-'));
  const provider = await openProvider(random);
  process.stdout.write(`seed ${seed}; state and logs in ${home}\n`);
  try {
    const outcome = await runFaults({ home, provider, random, only: values.only });
    printReport(outcome);
    if (!values.only) await writeReport({ seed, ...outcome });
    if (outcome.violations.length > 0) {
      process.exitCode = 1;
      process.stdout.write(`Its state is kept in ${home}.\n`);
    } else {
      // Under root the server's files lie elsewhere.
      await deleteEmbeddedPostgres({ dir: join(home, 'postgres'), log: () => {} });
      await rm(home, { recursive: true, force: true });
    }
  } finally {
    await provider.close();
  }
};

await main();
