import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { FlowReport } from './run-flow-faults.ts';

export const printFlowReport = ({ rounds, violations, ...figures }: FlowReport): void => {
  const rows = rounds.map(({ name, calls, failed, recoveryMs, ...fault }) => ({
    fault: name,
    calls,
    failed,
    ...recoveryMs,
    violations: fault.violations.length,
  }));
  process.stdout.write('By flow: milliseconds until its first successful call\n');
  console.table(rows);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeFlowReport = ({ rounds, violations, ...figures }: FlowReport): Promise<void> =>
  writeResult('flows', {
    ...figures,
    rounds: rounds.map((fault) => ({ ...fault, violations: fault.violations.length })),
    violations: violations.length,
  });
