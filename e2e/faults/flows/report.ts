import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { FlowFaults } from './run-flow-faults.ts';

export const printFlowReport = ({ rounds, violations, ...figures }: FlowFaults): void => {
  const rows = rounds.map(({ name, calls, failed, recoveryMs, ...round }) => ({
    round: name,
    calls,
    failed,
    ...recoveryMs,
    violations: round.violations.length,
  }));
  process.stdout.write('By flow: milliseconds until its first good call\n');
  console.table(rows);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeFlowReport = ({ rounds, violations, ...figures }: FlowFaults): Promise<void> =>
  writeResult('flows', {
    ...figures,
    rounds: rounds.map((round) => ({ ...round, violations: round.violations.length })),
    violations: violations.length,
  });
