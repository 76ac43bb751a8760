import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deleteEmbeddedPostgres } from '@witan/stack/postgres/open-embedded-postgres';
import { printAdvanceReport, writeAdvanceReport } from './advance/report.ts';
import { runAdvanceFaults } from './advance/run-advance-faults.ts';
import { openProvider } from './completions/open-provider.ts';
import { printReport, writeReport } from './completions/report.ts';
import { runFaults } from './completions/run-faults.ts';
import { printDebateReport, writeDebateReport } from './debates/report.ts';
import { runDebateFaults } from './debates/run-debate-faults.ts';
import { printEventReport, writeEventReport } from './facts/report.ts';
import { runEventFaults } from './facts/run-event-faults.ts';
import { createRandom } from './random.ts';
import { printFlowReport, writeFlowReport } from './flows/report.ts';
import { runFlowFaults } from './flows/run-flow-faults.ts';
import { printRollingReport, writeRollingReport } from './rolling/report.ts';
import { runRolling } from './rolling/run-rolling.ts';

const SEED_MAX = 2 ** 32;

/** Runs one part of the faults; returns the number of violations. */
type Part = (options: { home: string; seed: number; only: string | undefined }) => Promise<number>;

const PARTS: Readonly<Record<string, Part>> = {
  completions: async ({ home, seed, only }) => {
    const random = createRandom(seed);
    const provider = await openProvider(random);
    try {
      const outcome = await runFaults({ home, provider, random, only });
      printReport(outcome);
      if (!only) await writeReport({ seed, ...outcome });
      return outcome.violations.length;
    } finally {
      await provider.close();
    }
  },
  facts: async ({ home, seed, only }) => {
    const outcome = await runEventFaults({ home, random: createRandom(seed), only: only ?? '' });
    printEventReport(outcome);
    if (!only) await writeEventReport({ seed, ...outcome });
    return outcome.violations.length;
  },
  debates: async ({ home, only }) => {
    const outcome = await runDebateFaults({ home, only: only ?? '' });
    printDebateReport(outcome);
    if (!only) await writeDebateReport(outcome);
    return outcome.violations.length;
  },
  advance: async ({ home, only }) => {
    const outcome = await runAdvanceFaults({ home, only: only ?? '' });
    printAdvanceReport(outcome);
    if (!only) await writeAdvanceReport(outcome);
    return outcome.violations.length;
  },
  flows: async ({ home, only }) => {
    const outcome = await runFlowFaults({ home, only: only ?? '' });
    printFlowReport(outcome);
    if (!only) await writeFlowReport(outcome);
    return outcome.violations.length;
  },
  rolling: async ({ home, seed, only }) => {
    const outcome = await runRolling({ home, random: createRandom(seed), only: only ?? '' });
    printRollingReport(outcome);
    if (!only) await writeRollingReport({ seed, ...outcome });
    return outcome.violations.length;
  },
};

/** Implements `npm run faults`: injects faults into running systems and checks their guarantees. */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, part: { type: 'string' }, only: { type: 'string' } },
  });
  const { part, only } = values;
  const seed = values.seed ? Number(values.seed) : Math.floor(Math.random() * SEED_MAX);
  const names = Object.keys(PARTS);
  if (part !== undefined && !names.includes(part)) {
    throw new Error(`--part takes one of ${names.join(', ')}, not "${part}".`);
  }
  for (const name of part === undefined ? names : [part]) {
    const home = await mkdtemp(join(tmpdir(), 'witan-faults-'));
    process.stdout.write(`${name}: seed ${seed}; state and logs in ${home}\n`);
    if ((await PARTS[name]!({ home, seed, only })) > 0) {
      process.exitCode = 1;
      process.stdout.write(`Its state is stored in ${home}.\n`);
    } else {
      // As root, the database server stores its files outside the home folder, so they are deleted
      // separately.
      await deleteEmbeddedPostgres({ dir: join(home, 'postgres'), log: () => {} });
      await rm(home, { recursive: true, force: true });
    }
  }
};

await main();
