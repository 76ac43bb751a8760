import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { DebateFaults } from './run-debate-faults.ts';

export const printDebateReport = ({
  rounds,
  certificates,
  violations,
  minimum,
}: DebateFaults): void => {
  const rows = rounds.map(({ name, underWay, more, endedAfterMs, ...round }) => ({
    round: name,
    'under way': underWay,
    'calls more': more,
    'ended after ms': endedAfterMs,
    violations: round.violations.length,
  }));
  console.table(rows);
  process.stdout.write(`${minimum} calls undisturbed; ${JSON.stringify(certificates)}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeDebateReport = (found: DebateFaults): Promise<void> => {
  const { rounds, violations, ...figures } = found;
  return writeResult('debates', {
    ...figures,
    rounds: rounds.map((round) => ({ ...round, violations: round.violations.length })),
    violations: violations.length,
  });
};
