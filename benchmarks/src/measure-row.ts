import { readCpuSeconds, subtractCpu } from './cpu/cpu-account.ts';
import type { CpuSeconds } from './cpu/cpu-account.ts';
import type { LoadLimits } from './load/run-closed-loop.ts';
import type { LoadResult } from './load/summarize-load.ts';
import type { RowPace } from './pace.ts';

/** Something that takes load, and the processes that it keeps busy. */
export type Target = {
  /** Processes whose CPU is the target's cost, by name; each with all its children. */
  counted: Readonly<Record<string, number>>;
  /** Processes that only make the load or answer it: reported, not counted. */
  bystanders: Readonly<Record<string, number>>;
  /** Makes ready, before a stretch of load, what is not to be measured. */
  prepare?: (limits: LoadLimits) => Promise<void>;
  run: (limits: LoadLimits) => Promise<LoadResult>;
};

/** One stretch of load as it was measured. CPU is in seconds per 1,000 calls. */
export type RowMeasurement = LoadResult & {
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};

/** Warms the target up and measures one stretch of load with the CPU that it took. */
export const measureRow = async (
  target: Target,
  inFlight: number,
  { warmUpMs, measureMs, callsMax, spreadMs = 0 }: RowPace,
): Promise<RowMeasurement> => {
  if (warmUpMs > 0) await runStretch(target, { inFlight, maxMs: warmUpMs, maxCalls: callsMax });
  const maxMs = measureMs + 2 * spreadMs;
  const limits = { inFlight, maxMs, maxCalls: callsMax, spreadMs };
  await target.prepare?.(limits);
  const before = readAll(target);
  const result = await target.run(limits);
  const after = readAll(target);
  const per1000 = (cpu: CpuSeconds): CpuSeconds =>
    Object.fromEntries(Object.entries(cpu).map(([n, s]) => [n, (s / result.calls) * 1000]));
  const cpuPer1000By = per1000(subtractCpu(after.counted, before.counted));
  return {
    ...result,
    cpuPer1000: Object.values(cpuPer1000By).reduce((sum, seconds) => sum + seconds, 0),
    cpuPer1000By,
    bystanderCpuPer1000By: per1000(subtractCpu(after.bystanders, before.bystanders)),
  };
};

/** Load that nobody measures. */
export const runStretch = async (target: Target, limits: LoadLimits): Promise<void> => {
  await target.prepare?.(limits);
  await target.run(limits);
};

const readAll = ({
  counted,
  bystanders,
}: Target): Record<'counted' | 'bystanders', CpuSeconds> => ({
  counted: readCpuSeconds(counted),
  bystanders: readCpuSeconds(bystanders),
});
