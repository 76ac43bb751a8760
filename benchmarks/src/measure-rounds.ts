import type { BenchContext } from './bench.ts';

/** One row to measure: its label in the log, and the measurement. */
export type PlannedRow<Row> = { label: string; measure: () => Promise<Row> };

/**
 * Measures all rows of a plan in every benchmark round. The rows of one round are measured one
 * after another, so that a disturbance affects all systems alike.
 */
export const measureRounds = async <Row extends object>(
  plan: readonly PlannedRow<Row>[],
  { pace: { rounds }, log }: Pick<BenchContext, 'pace' | 'log'>,
): Promise<(Row & { round: number })[]> => {
  const rows: (Row & { round: number })[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const { label, measure } of plan) {
      log(`round ${round} of ${rounds}: ${label}`);
      rows.push({ round, ...(await measure()) });
    }
  }
  return rows;
};
