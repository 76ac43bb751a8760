import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../../describe-machine.ts';
import type { FaultsOutcome } from './run-faults.ts';
import { IN_FLIGHT, RECOVERY_LIMIT_MS } from './run-round.ts';

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const VIOLATIONS_SHOWN = 20;

/** Prints a row a round, the totals, and what was violated. */
export const printReport = ({ rounds, counts, charges, violations }: FaultsOutcome): void => {
  const rows = rounds.map((round) => ({
    round: round.name,
    calls: round.calls,
    complete: round.endings.complete ?? 0,
    'first good call after ms': round.recoveryMs.join(' '),
    'last failed call after ms': round.disturbedMs.join(' '),
    'swept after ms': round.sweptMs,
    violations: round.violations.length,
  }));
  // The one table of this command, for people.
  console.table(rows);
  process.stdout.write(`${JSON.stringify({ ...counts, ...charges })}\n`);
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN)) {
    process.stdout.write(`VIOLATION ${violation}\n`);
  }
  process.stdout.write(`${violations.length} violations\n`);
};

/** Writes the day's result beside the earlier ones; violations are counted, not listed. */
export const writeReport = async (result: FaultsOutcome & { seed: number }): Promise<void> => {
  const now = new Date();
  const { rounds, violations, counts, charges, seed } = result;
  const report = {
    date: now.toISOString(),
    machine: await describeMachine(),
    seed,
    inFlight: IN_FLIGHT,
    recoveryLimitMs: RECOVERY_LIMIT_MS,
    rounds: rounds.map((round) => ({ ...round, violations: round.violations.length })),
    counts,
    charges,
    violations: violations.length,
  };
  await mkdir(RESULTS, { recursive: true });
  const file = `${RESULTS}${now.toISOString().slice(0, 10)}.json`;
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`);
};
