import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from '../bench.ts';
import { measureDebates } from '../debates/measure-debates.ts';
import type { DebateTally } from '../debates/measure-debates.ts';
import { openDebateStage } from '../debates/open-debate-stage.ts';
import type { LoadLimits } from '../load/run-closed-loop.ts';
import { printProfiles, profileStretch } from './profile-stretch.ts';
import type { Stretch } from './profile-stretch.ts';

const AGENTS = 8;
/** Maximum number of debates per profile, which yields enough samples within a minute. */
const DEBATES_MAX = 100;
/** Approximate duration of a debate, to choose the number of debates. */
const DEBATE_MS = 200;

/** Prints the CPU use of debates by function, with a provider that answers without delay. */
export const profileDebates = async (context: BenchContext): Promise<void> => {
  const { stateDir, pace, resources, log } = context;
  const profileDir = join(stateDir, 'profiles-debates');
  await mkdir(profileDir);
  const own = resources.use(new AsyncDisposableStack());
  const stage = await openDebateStage(context, own, { profileDir });
  const held: DebateTally = { next: 0, ids: [], calls: 0 };
  await stage.convene(AGENTS);
  const stretches: Stretch[] = [];
  for (const inFlight of [1, pace.debates.crowd.debates]) {
    const name = `debates of ${AGENTS}, ${inFlight} at once`;
    log(`profiling ${name}`);
    const run = async ({ maxMs, maxCalls }: LoadLimits) => {
      const most = Math.min(DEBATES_MAX, maxCalls, Math.ceil(maxMs / DEBATE_MS));
      const debates = Math.max(inFlight, most);
      const load = { agents: AGENTS, delayMs: 0, inFlight, debates };
      const { wallMs: latencyMs, perSecond } = await measureDebates(stage, load, held);
      return { calls: debates, latencyMs, perSecond, elapsedMs: (debates / perSecond) * 1_000 };
    };
    const target = { counted: stage.witan.processes, bystanders: {}, run };
    stretches.push(await profileStretch(name, target, { inFlight, pace }));
  }
  // Node writes the profiles when the processes end.
  await own.disposeAsync();
  const { processes, name: system } = stage.witan;
  await printProfiles(profileDir, processes, { system, stretches });
};
