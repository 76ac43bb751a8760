import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { AdvanceReport } from './run-advance-faults.ts';

export const printAdvanceReport = ({
  rounds,
  certificates,
  violations,
  minimum,
}: AdvanceReport): void => {
  const rows = rounds.map(({ name, extraCalls, tookMs, statuses, ...fault }) => ({
    fault: name,
    'extra calls': extraCalls,
    'duration ms': tookMs,
    'last status': statuses.at(-1),
    violations: fault.violations.length,
  }));
  console.table(rows);
  process.stdout.write(`${minimum} calls without faults; ${JSON.stringify(certificates)}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeAdvanceReport = async (found: AdvanceReport): Promise<void> => {
  const { rounds, violations, ...figures } = found;
  await writeResult('advance', {
    ...figures,
    rounds: rounds.map((fault) => ({ ...fault, violations: fault.violations.length })),
    violations: violations.length,
  });
};
