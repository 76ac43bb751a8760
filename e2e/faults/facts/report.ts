import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../../describe-machine.ts';
import type { FactFaults } from './run-fact-faults.ts';
import { EVERY_MS } from './run-fact-round.ts';

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const VIOLATIONS_SHOWN = 20;

/** Prints a row a round, and what was violated. */
export const printFactReport = ({ rounds, violations }: FactFaults): void => {
  const rows = rounds.map(({ name, crashes, counts, latency, drainedMs, ...round }) => ({
    round: name,
    crashes,
    facts: counts.committed,
    posts: counts.posts,
    repeated: counts.repeated,
    'p50 ms': latency.p50,
    'p95 ms': latency.p95,
    'slowest ms': latency.max,
    'drained after ms': drainedMs,
    violations: round.violations.length,
  }));
  // The one table of this part, for people.
  console.table(rows);
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN)) {
    process.stdout.write(`VIOLATION ${violation}\n`);
  }
  process.stdout.write(`${violations.length} violations\n`);
};

/** Writes the day's result beside the earlier ones; violations are counted, not listed. */
export const writeFactReport = async (found: FactFaults & { seed: number }): Promise<void> => {
  const now = new Date();
  const count = <T extends { violations: readonly string[] }>(one: T) => ({
    ...one,
    violations: one.violations.length,
  });
  const report = {
    date: now.toISOString(),
    machine: await describeMachine(),
    seed: found.seed,
    factEveryMs: EVERY_MS,
    rounds: found.rounds.map(count),
    schedule: found.schedule && count(found.schedule),
    hanging: found.hanging && count(found.hanging),
    violations: found.violations.length,
  };
  await mkdir(RESULTS, { recursive: true });
  const file = `${RESULTS}facts-${now.toISOString().slice(0, 10)}.json`;
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`);
};
