import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCpuSeconds, subtractCpu } from '../cpu/cpu-account.ts';
import type { CpuSeconds } from '../cpu/cpu-account.ts';
import { runStretch } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { Pace } from '../pace.ts';
import { attributeSamples } from './attribute-samples.ts';
import type { CpuProfile, TimeWindow } from './attribute-samples.ts';
import { printAttribution } from './print-attribution.ts';

/** One run of load, with its window and each process's CPU per 1,000 calls. */
export type Stretch = { load: string; window: TimeWindow; cpuPer1000By: CpuSeconds };

/** Multiple of a row's warm-up, because no row was measured before. */
const WARM_UPS = 2;
/** Time between the warm-up and the window. */
const GAP_MS = 200;
/** Milliseconds of a run: a profile needs more samples than a row needs calls. */
const PROFILED_MS = { full: 6_000, quick: 1_800 };
const CALLS_MAX = 40_000;

export const profileStretch = async (
  load: string,
  target: Target,
  options: { inFlight: number; pace: Pace },
): Promise<Stretch> => {
  const { inFlight, pace } = options;
  const warmUp = { inFlight, maxMs: WARM_UPS * pace.firstWarmUpMs, maxCalls: CALLS_MAX };
  await runStretch(target, warmUp);
  await new Promise((resolve) => {
    setTimeout(resolve, GAP_MS);
  });
  const before = readCpuSeconds(target.counted);
  const from = monotonicMicros();
  const maxMs = PROFILED_MS[pace.name];
  const { calls } = await target.run({ inFlight, maxMs, maxCalls: CALLS_MAX });
  const window = { from, to: monotonicMicros() };
  const used = subtractCpu(readCpuSeconds(target.counted), before);
  const per1000 = Object.entries(used).map(([name, seconds]) => [name, (seconds / calls) * 1000]);
  return { load, window, cpuPer1000By: Object.fromEntries(per1000) };
};

/** Prints the profiles that the processes wrote at their end, one list per run. */
export const printProfiles = async (
  profileDir: string,
  processes: Readonly<Record<string, number>>,
  options: { system: string; stretches: readonly Stretch[] },
): Promise<void> => {
  const names = new Map(Object.entries(processes).map(([name, pid]) => [pid, name]));
  for (const file of await readdir(profileDir)) {
    // Names look like CPU.<date>.<time>.<pid>.<thread>.<sequence>.cpuprofile
    const name = names.get(Number(file.split('.')[3]));
    if (!name) continue;
    const profile = JSON.parse(await readFile(join(profileDir, file), 'utf8')) as CpuProfile;
    for (const { load, window, cpuPer1000By } of options.stretches) {
      const title = `${options.system}, ${name}, ${load}`;
      printAttribution(title, attributeSamples(profile, window), cpuPer1000By[name]!);
    }
  }
};

/** Returns the time of the profiles' clock, which all processes share. */
const monotonicMicros = (): number => Number(process.hrtime.bigint() / 1_000n);
