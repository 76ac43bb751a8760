import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { CompletionReport } from './run-faults.ts';
import { IN_FLIGHT, RECOVERY_LIMIT_MS } from './run-fault.ts';

export const printReport = ({ rounds, counts, charges, violations }: CompletionReport): void => {
  const rows = rounds.map((fault) => ({
    fault: fault.name,
    calls: fault.calls,
    complete: fault.endings.complete ?? 0,
    'first successful call after ms': fault.recoveryMs.join(' '),
    'last failed call after ms': fault.disturbedMs.join(' '),
    'swept after ms': fault.sweptMs,
    violations: fault.violations.length,
  }));
  console.table(rows);
  process.stdout.write(`${JSON.stringify({ ...counts, ...charges })}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeReport = (result: CompletionReport & { seed: number }): Promise<void> => {
  const { rounds, violations, counts, charges, seed } = result;
  return writeResult('completions', {
    seed,
    inFlight: IN_FLIGHT,
    recoveryLimitMs: RECOVERY_LIMIT_MS,
    rounds: rounds.map((fault) => ({ ...fault, violations: fault.violations.length })),
    counts,
    charges,
    violations: violations.length,
  });
};
