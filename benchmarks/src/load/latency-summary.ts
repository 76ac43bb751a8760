/** Latencies in milliseconds. */
export type LatencySummary = { p50: number; p95: number; p99: number; mean: number; max: number };

/** Returns the exact percentiles (nearest rank) of all samples. Throws if there are none. */
export const summarizeLatencies = (samplesMs: readonly number[]): LatencySummary => {
  if (samplesMs.length === 0) throw new Error('There are no calls to summarize.');
  const sorted = Float64Array.from(samplesMs).toSorted();
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!;
  return {
    p50: rank(0.5),
    p95: rank(0.95),
    p99: rank(0.99),
    mean: sorted.reduce((sum, sample) => sum + sample, 0) / sorted.length,
    max: rank(1),
  };
};

/** Summarizes each of the named members over all samples. */
export const summarizeEach = <Name extends string>(
  names: readonly Name[],
  samples: readonly Readonly<Record<Name, number>>[],
): Record<Name, LatencySummary> =>
  Object.fromEntries(
    names.map((name) => [name, summarizeLatencies(samples.map((one) => one[name]))]),
  ) as Record<Name, LatencySummary>;

const NANOS_PER_MS = 1e6;

/** Returns the milliseconds of CLOCK_MONOTONIC, which all processes of the machine share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / NANOS_PER_MS;
