import { printViolations } from '../print-violations.ts';
import { writeResult } from '../write-result.ts';
import type { RollingOutcome } from './run-rolling.ts';

export const printRollingReport = ({
  restarts,
  flows,
  counts,
  webhooks,
  keyChange,
  violations,
}: RollingOutcome): void => {
  console.table(restarts);
  console.table(flows);
  process.stdout.write(`${JSON.stringify({ ...counts, webhooks, keyChange })}\n`);
  printViolations(violations);
};

/** Writes today's result file, with the number of violations instead of their texts. */
export const writeRollingReport = ({
  violations,
  ...figures
}: RollingOutcome & { seed: number }): Promise<void> =>
  writeResult('rolling', { ...figures, violations: violations.length });
