import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { DebateReport } from './run-debate-faults.ts';

export const printDebateReport = ({
  rounds,
  certificates,
  violations,
  minimum,
}: DebateReport): void => {
  const rows = rounds.map(({ name, callsInFlight, extraCalls, endedAfterMs, ...fault }) => ({
    fault: name,
    'in flight': callsInFlight,
    'extra calls': extraCalls,
    'ended after ms': endedAfterMs,
    violations: fault.violations.length,
  }));
  console.table(rows);
  process.stdout.write(`${minimum} calls without faults; ${JSON.stringify(certificates)}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeDebateReport = (found: DebateReport): Promise<void> => {
  const { rounds, violations, ...figures } = found;
  return writeResult('debates', {
    ...figures,
    rounds: rounds.map((fault) => ({ ...fault, violations: fault.violations.length })),
    violations: violations.length,
  });
};
