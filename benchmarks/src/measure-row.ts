import { readCpuSeconds, subtractCpu } from './cpu/cpu-account.ts';
import type { CpuSeconds } from './cpu/cpu-account.ts';
import type { LoadLimits } from './load/run-closed-loop.ts';
import type { LoadResult } from './load/summarize-load.ts';
import type { RowPace } from './pace.ts';

/** Whose CPU is measured. */
export type Accounted = {
  /** Processes whose CPU is the target's cost, by name; each with all its children. */
  counted: Readonly<Record<string, number>>;
  /** Processes that only make the load or answer it: reported, not counted. */
  bystanders: Readonly<Record<string, number>>;
};

/** Something that takes load, and the processes that it keeps busy. */
export type Target = Accounted & {
  /** Makes ready, before a stretch of load, what is not to be measured. */
  prepare?: (limits: LoadLimits) => Promise<void>;
  run: (limits: LoadLimits) => Promise<LoadResult>;
};

/** In seconds per 1,000 calls. */
export type CpuAccount = {
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};

/** One stretch of load as it was measured. */
export type RowMeasurement = LoadResult & CpuAccount;

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
  return accountCpu(target, () => target.run(limits));
};

/** Runs a stretch of load and adds the CPU that it took. */
export const accountCpu = async <T extends { calls: number }>(
  accounted: Accounted,
  run: () => Promise<T>,
): Promise<T & CpuAccount> => {
  const before = readAll(accounted);
  const result = await run();
  const after = readAll(accounted);
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
}: Accounted): Record<'counted' | 'bystanders', CpuSeconds> => ({
  counted: readCpuSeconds(counted),
  bystanders: readCpuSeconds(bystanders),
});
