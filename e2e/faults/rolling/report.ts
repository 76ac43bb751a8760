import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { RollingOutcome } from './run-rolling.ts';

/** Prints a row a restart, one a flow, and what was violated. */
export const printRollingReport = ({
  restarts,
  flows,
  counts,
  webhooks,
  keyChange,
  violations,
}: RollingOutcome): void => {
  // The two tables of this part, for people.
  console.table(restarts);
  console.table(flows);
  process.stdout.write(`${JSON.stringify({ ...counts, webhooks, keyChange })}\n`);
  printViolations(violations);
};

/** Writes the day's result beside the earlier ones; violations are counted, not listed. */
export const writeRollingReport = ({
  violations,
  ...facts
}: RollingOutcome & { seed: number }): Promise<void> =>
  writeResult('rolling', { ...facts, violations: violations.length });
