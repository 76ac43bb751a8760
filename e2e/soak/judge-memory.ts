import { fitSlope } from './fit-slope.ts';
import type { Slope } from './fit-slope.ts';
import type { Sample } from './sample-memory.ts';

/** Growth of memory in MiB per minute over the second half of the run. */
export type MemoryVerdict = {
  rss: Slope;
  heap: Slope;
  /** False if the run was too short to distinguish growth from warm-up. */
  isJudged: boolean;
  violations: string[];
};

type JudgedSample = Pick<Sample, 'second' | 'rssMib' | 'heapMib'>;

/**
 * Tolerated growth in MiB per minute: caches and the JavaScript engine's heap still grow slightly
 * after the warm-up.
 */
export const SLOPE_LIMIT_MIB = 1;
/** Number of standard errors by which the growth must exceed the limit to be a violation. */
const SIGNIFICANT_ERRORS = 2;
/**
 * Share of the run that is ignored as warm-up: the heap stops growing after about twelve minutes.
 */
const WARM_UP_SHARE = 1 / 2;
/** Duration of a run in minutes below which growth is measured but is no violation. */
const JUDGED_MINUTES_MIN = 30;

/** Returns the growth of memory, with a violation if it is significantly above the limit. */
export const judgeMemory = (samples: readonly JudgedSample[], minutes: number): MemoryVerdict => {
  const until = samples.at(-1)?.second ?? 0;
  const samplesAfterWarmUp = samples.filter(({ second }) => second >= until * WARM_UP_SHARE);
  const slopeOf = (of: 'rssMib' | 'heapMib'): Slope =>
    fitSlope(
      samplesAfterWarmUp.map((sample) => ({ minute: sample.second / 60, value: sample[of] })),
    );
  const rss = slopeOf('rssMib');
  const heap = slopeOf('heapMib');
  const isJudged = minutes >= JUDGED_MINUTES_MIN;
  const violations = Object.entries({ rss, heap })
    .filter(([, slope]) => isJudged && isTooSteep(slope))
    .map(([name, slope]) => `${name} grows: ${describeSlope(slope)}, allowed ${SLOPE_LIMIT_MIB}`);
  return { rss, heap, isJudged, violations };
};

const isTooSteep = ({ perMinute, standardError }: Slope): boolean =>
  perMinute - SIGNIFICANT_ERRORS * standardError > SLOPE_LIMIT_MIB;

/** Returns the slope as text, such as `0.12 ± 0.05 MiB per minute`. */
export const describeSlope = ({ perMinute, standardError }: Slope): string =>
  `${perMinute.toFixed(2)} ± ${standardError.toFixed(2)} MiB per minute`;
