import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { AdvanceFaults } from './run-advance-faults.ts';

export const printAdvanceReport = ({
  rounds,
  certificates,
  violations,
  minimum,
}: AdvanceFaults): void => {
  const rows = rounds.map(({ name, more, tookMs, statuses, ...round }) => ({
    round: name,
    'calls more': more,
    'took ms': tookMs,
    'last answer': statuses.at(-1),
    violations: round.violations.length,
  }));
  console.table(rows);
  process.stdout.write(`${minimum} calls undisturbed; ${JSON.stringify(certificates)}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeAdvanceReport = async (found: AdvanceFaults): Promise<void> => {
  const { rounds, violations, ...figures } = found;
  await writeResult('advance', {
    ...figures,
    rounds: rounds.map((round) => ({ ...round, violations: round.violations.length })),
    violations: violations.length,
  });
};
