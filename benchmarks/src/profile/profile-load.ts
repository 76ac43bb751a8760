import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from '../bench.ts';
import { readCpuSeconds, subtractCpu } from '../cpu/cpu-account.ts';
import type { CpuSeconds } from '../cpu/cpu-account.ts';
import { runWarmUp } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { Preset } from '../preset.ts';
import { attributeSamples, printAttribution } from './attribute-samples.ts';
import type { CpuProfile, TimeWindow } from './attribute-samples.ts';

/** A profiled run of load: its time window, and the CPU seconds of each process per 1,000 calls. */
export type ProfiledRun = { load: string; window: TimeWindow; cpuPer1000By: CpuSeconds };

/**
 * Duration of the warm-up in multiples of `firstWarmUpMs`. It is long because no earlier row has
 * warmed up the processes.
 */
const WARM_UPS = 2;
/** Pause between the warm-up and the profiled run. */
const GAP_MS = 200;
/** Milliseconds of a profiled run; longer than a row, because a profile needs many samples. */
const PROFILED_MS = { full: 6_000, quick: 1_800 };
const CALLS_MAX = 40_000;

export const profileLoad = async (
  load: string,
  target: Target,
  options: { inFlight: number; preset: Preset },
): Promise<ProfiledRun> => {
  const { inFlight, preset } = options;
  const warmUp = { inFlight, maxMs: WARM_UPS * preset.firstWarmUpMs, maxCalls: CALLS_MAX };
  await runWarmUp(target, warmUp);
  await new Promise((resolve) => {
    setTimeout(resolve, GAP_MS);
  });
  const before = readCpuSeconds(target.counted);
  const from = monotonicMicros();
  const maxMs = PROFILED_MS[preset.name];
  const { calls } = await target.run({ inFlight, maxMs, maxCalls: CALLS_MAX });
  const window = { from, to: monotonicMicros() };
  const used = subtractCpu(readCpuSeconds(target.counted), before);
  const per1000 = Object.entries(used).map(([name, seconds]) => [name, (seconds / calls) * 1000]);
  return { load, window, cpuPer1000By: Object.fromEntries(per1000) };
};

/** The processes of a system, and the profiled runs of load on it. */
export type ProfiledSystem = {
  system: string;
  processes: Readonly<Record<string, number>>;
  profiledRuns: readonly ProfiledRun[];
};

/**
 * Calls `run` with a folder for CPU profiles, closes what it opened, and prints the profiles, which
 * Node writes when the processes end.
 */
export const printProfilesOf = async (
  name: string,
  { stateDir, resources }: Pick<BenchContext, 'stateDir' | 'resources'>,
  run: (profileDir: string, resources: AsyncDisposableStack) => Promise<ProfiledSystem>,
): Promise<void> => {
  const profileDir = join(stateDir, `profiles-${name}`);
  await mkdir(profileDir);
  const ownResources = resources.use(new AsyncDisposableStack());
  const profiled = await run(profileDir, ownResources);
  await ownResources.disposeAsync();
  await printProfiles(profileDir, profiled);
};

/** Prints the profiles that the processes wrote when they ended, once for each profiled run. */
const printProfiles = async (
  profileDir: string,
  { system, processes, profiledRuns }: ProfiledSystem,
): Promise<void> => {
  const names = new Map(Object.entries(processes).map(([name, pid]) => [pid, name]));
  for (const file of await readdir(profileDir)) {
    // File names look like CPU.<date>.<time>.<pid>.<thread>.<sequence>.cpuprofile.
    const name = names.get(Number(file.split('.')[3]));
    if (!name) continue;
    const profile = JSON.parse(await readFile(join(profileDir, file), 'utf8')) as CpuProfile;
    for (const { load, window, cpuPer1000By } of profiledRuns) {
      const title = `${system}, ${name}, ${load}`;
      printAttribution(title, attributeSamples(profile, window), cpuPer1000By[name]!);
    }
  }
};

/**
 * Returns the time in microseconds on the monotonic clock, which profiles use and all processes
 * share.
 */
const monotonicMicros = (): number => Number(process.hrtime.bigint() / 1_000n);
