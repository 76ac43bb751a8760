import { fitSlope } from './fit-slope.ts';
import type { Slope } from './fit-slope.ts';
import type { Sample } from './sample-memory.ts';

/** How memory grew, in MiB a minute, over the part of the run in which it should not. */
export type MemoryVerdict = {
  rss: Slope;
  heap: Slope;
  /** False when the run was too short to tell growth from warming up. */
  isJudged: boolean;
  violations: string[];
};

type JudgedSample = Pick<Sample, 'second' | 'rssMib' | 'heapMib'>;

/** Growth that is allowed: caches and the engine still settle after minutes. */
export const SLOPE_LIMIT_MIB = 1;
/** Standard errors that a slope must be above the limit by. */
const SIGNIFICANT_ERRORS = 2;
/** The first half warms up: the engine finds the size of its heap after some twelve minutes. */
const WARM_UP_SHARE = 1 / 2;
/** Shorter runs state their slopes and are not judged by them. */
const JUDGED_MINUTES_MIN = 30;

/** Fails memory that grows significantly faster than the limit. */
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

/** A slope for people: `0.12 ± 0.05 MiB a minute`. */
export const describeSlope = ({ perMinute, standardError }: Slope): string =>
  `${perMinute.toFixed(2)} ± ${standardError.toFixed(2)} MiB a minute`;
