import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { FaultsOutcome } from './run-faults.ts';
import { IN_FLIGHT, RECOVERY_LIMIT_MS } from './run-round.ts';

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
  console.table(rows);
  process.stdout.write(`${JSON.stringify({ ...counts, ...charges })}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeReport = (result: FaultsOutcome & { seed: number }): Promise<void> => {
  const { rounds, violations, counts, charges, seed } = result;
  return writeResult('completions', {
    seed,
    inFlight: IN_FLIGHT,
    recoveryLimitMs: RECOVERY_LIMIT_MS,
    rounds: rounds.map((round) => ({ ...round, violations: round.violations.length })),
    counts,
    charges,
    violations: violations.length,
  });
};
