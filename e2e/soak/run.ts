import { parseArgs } from 'node:util';
import { createRandom } from '@witan/testing/create-random';
import { chooseSeed, withHome } from '../faults/with-home.ts';
import { openProvider } from './open-provider.ts';
import { printReport, writeReport } from './report.ts';
import { runSoak } from './run-soak.ts';

const MINUTES = 30;
const MINUTES_MAX = 24 * 60;

/**
 * Implements `npm run soak`: streams calls, by default for half an hour, of which clients abort
 * about 30 %, and checks that memory, connections and reservations do not leak.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string' }, seed: { type: 'string' } },
  });
  const minutes = Number(values.minutes ?? MINUTES);
  if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
    throw new Error(`--minutes takes a number up to ${MINUTES_MAX}, not "${values.minutes}".`);
  }
  const seed = chooseSeed(values.seed);
  await using resources = new AsyncDisposableStack();
  const provider = await openProvider();
  resources.defer(provider.close);
  await withHome(`seed ${seed}`, async (home) => {
    const outcome = await runSoak({ home, provider, random: createRandom(seed), minutes });
    printReport(outcome);
    if (outcome.memory.isJudged) {
      process.stdout.write(`stored in ${await writeReport(outcome, seed)}\n`);
    }
    return outcome.violations;
  });
};

await main();
