import { COLD_LOAD } from '../gateway-loads.ts';
import { WITAN_MODES } from '../open-systems.ts';
import { findRow, median } from '../../report/summarize-rows.ts';
import type { RawRow } from '../../report/summarize-rows.ts';

/** CPU of one row in multiples of floor-work, one number for each benchmark round. */
export type RowMultiples = { row: string; multiples: readonly number[] };

/** Medians before and now; the row is worse if `now` exceeds `bound`. */
export type GuardedRow = {
  row: string;
  before: number;
  now: number;
  bound: number;
  isWorse: boolean;
};

/** Limits of the allowance as a share of the median before, however far the rounds are apart. */
const ALLOWANCE_MIN = 0.1;
const ALLOWANCE_MAX = 0.3;

/**
 * Returns Witan's warm rows with the CPU of each round in multiples of floor-work's in the same
 * round.
 */
export const readMultiples = (rows: readonly RawRow[]): RowMultiples[] => {
  const guarded = rows.filter(({ system, load }) => system in WITAN_MODES && load !== COLD_LOAD);
  const groups = Map.groupBy(
    guarded,
    ({ system, load, inFlight }) => `${system}, ${load}, ${inFlight} at once`,
  );
  const rounds = Map.groupBy(rows, ({ round }) => round);
  return [...groups].map(([row, group]) => ({
    row,
    multiples: group.map((one) => {
      const floorWork = findRow(rounds.get(one.round)!, { ...one, system: 'floor-work' });
      return one.cpuPer1000 / floorWork.cpuPer1000;
    }),
  }));
};

/**
 * Compares the medians of the rows that both runs measured. The bound is the median before plus an
 * allowance: half of the range of the rounds before plus half of the range of the rounds now, but
 * at least 10 % and at most 30 % of the median before. A noisy run therefore hides regressions of
 * less than 30 %.
 */
export const judgeMultiples = (
  before: readonly RowMultiples[],
  now: readonly RowMultiples[],
): GuardedRow[] =>
  now.flatMap(({ row, multiples }) => {
    const earlier = before.find((one) => one.row === row);
    if (!earlier) return [];
    const medianBefore = median(earlier.multiples);
    const spread = halfRange(earlier.multiples) + halfRange(multiples);
    const allowance = Math.min(
      Math.max(spread, ALLOWANCE_MIN * medianBefore),
      ALLOWANCE_MAX * medianBefore,
    );
    const bound = medianBefore + allowance;
    const medianNow = median(multiples);
    return [{ row, before: medianBefore, now: medianNow, bound, isWorse: medianNow > bound }];
  });

const halfRange = (values: readonly number[]): number =>
  (Math.max(...values) - Math.min(...values)) / 2;
