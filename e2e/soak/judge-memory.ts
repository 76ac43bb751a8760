import { fitSlope } from './fit-slope.ts';
import type { Slope } from './fit-slope.ts';
import type { Sample } from './sample-memory.ts';

/** Memory growth in MiB a minute over the judged part of the run. */
export type MemoryVerdict = {
  rss: Slope;
  heap: Slope;
  /** False if the run was too short to separate growth from warm-up. */
  isJudged: boolean;
  violations: string[];
};

type JudgedSample = Pick<Sample, 'second' | 'rssMib' | 'heapMib'>;

/** Tolerated growth: caches and the engine still grow slightly after minutes. */
export const SLOPE_LIMIT_MIB = 1;
/** Number of standard errors by which a slope must exceed the limit. */
const SIGNIFICANT_ERRORS = 2;
/** The first half is warm-up: the heap's size is stable after about twelve minutes. */
const WARM_UP_SHARE = 1 / 2;
/** For shorter runs the slope is reported without a verdict. */
const JUDGED_MINUTES_MIN = 30;

/** Returns the growth of memory, which fails if it is significantly above the limit. */
export const judgeMemory = (samples: readonly JudgedSample[], minutes: number): MemoryVerdict => {
  const until = samples.at(-1)?.second ?? 0;
  const settled = samples.filter(({ second }) => second >= until * WARM_UP_SHARE);
  const slopeOf = (of: 'rssMib' | 'heapMib'): Slope =>
    fitSlope(settled.map((sample) => ({ minute: sample.second / 60, value: sample[of] })));
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

/** Formats a slope like `0.12 ± 0.05 MiB a minute`. */
export const describeSlope = ({ perMinute, standardError }: Slope): string =>
  `${perMinute.toFixed(2)} ± ${standardError.toFixed(2)} MiB a minute`;
