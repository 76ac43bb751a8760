import { readCpuSeconds, subtractCpu } from './cpu/cpu-account.ts';
import type { CpuSeconds } from './cpu/cpu-account.ts';
import type { LoadLimits, LoadResult } from './load/run-closed-loop.ts';
import type { Preset, RowPreset } from './preset.ts';

export type MeasuredProcesses = {
  /** Pids by name of the processes whose CPU counts for the system, with all their children. */
  counted: Readonly<Record<string, number>>;
  /** Pids by name of clients and fake providers or receivers, whose CPU is reported separately. */
  bystanders: Readonly<Record<string, number>>;
};

/** A system under load, and its processes. */
export type Target = MeasuredProcesses & {
  /** Prepares a run; called before each warm-up and each measurement. */
  prepare?: (limits: LoadLimits) => Promise<void>;
  run: (limits: LoadLimits) => Promise<LoadResult>;
};

/** CPU seconds per 1,000 calls: of the system, of its processes, and of the bystanders. */
export type CpuAccount = {
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};

export type RowMeasurement = LoadResult & CpuAccount;

/** Warms a target up, then measures one run of load with its CPU. */
export const measureRow = async (
  target: Target,
  inFlight: number,
  { warmUpMs, measureMs, callsMax }: RowPreset,
): Promise<RowMeasurement> => {
  if (warmUpMs > 0) await runWarmUp(target, { inFlight, maxMs: warmUpMs, maxCalls: callsMax });
  const limits = { inFlight, maxMs: measureMs, maxCalls: callsMax };
  await target.prepare?.(limits);
  return measureCpu(target, () => target.run(limits));
};

export const measureCpu = async <T extends { calls: number }>(
  measuredProcesses: MeasuredProcesses,
  run: () => Promise<T>,
): Promise<T & CpuAccount> => {
  const before = readCpu(measuredProcesses);
  const result = await run();
  const after = readCpu(measuredProcesses);
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

/** Runs load without measuring it, as a warm-up. */
export const runWarmUp = async (target: Target, limits: LoadLimits): Promise<void> => {
  await target.prepare?.(limits);
  await target.run(limits);
};

const readCpu = ({
  counted,
  bystanders,
}: MeasuredProcesses): Record<'counted' | 'bystanders', CpuSeconds> => ({
  counted: readCpuSeconds(counted),
  bystanders: readCpuSeconds(bystanders),
});

/** One row to measure: its label in the log, and the measurement. */
export type PlannedRow<Row> = { label: string; measure: () => Promise<Row> };

/**
 * Measures all rows of a plan in every benchmark round. The rows of one round are measured one
 * after another, so that a disturbance affects all systems alike.
 */
export const measureRounds = async <Row extends object>(
  plan: readonly PlannedRow<Row>[],
  { preset: { rounds }, log }: { preset: Pick<Preset, 'rounds'>; log: (line: string) => void },
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
