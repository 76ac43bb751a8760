import type { BenchContext } from '../bench.ts';
import { measureDebates } from '../debates/measure-debates.ts';
import type { DebateTally } from '../debates/measure-debates.ts';
import { openDebateTestbed } from '../debates/open-debate-testbed.ts';
import type { LoadLimits } from '../load/run-closed-loop.ts';
import { printProfilesOf, profileLoad } from './profile-load.ts';
import type { ProfiledRun } from './profile-load.ts';

const AGENTS = 8;
/** Maximum number of debates per profile, enough samples within a minute. */
const DEBATES_MAX = 100;
/** Approximate duration of one debate, from which the number of debates is chosen. */
const DEBATE_MS = 200;

/** Prints the CPU use of debates by function, with a provider that answers without delay. */
export const profileDebates = (context: BenchContext): Promise<void> =>
  printProfilesOf('debates', context, async (profileDir, resources) => {
    const { pace, log } = context;
    const testbed = await openDebateTestbed(context, resources, { profileDir });
    const tally: DebateTally = { lastQuestion: 0, ids: [], calls: 0 };
    await testbed.replaceAgents(AGENTS);
    const profiledRuns: ProfiledRun[] = [];
    for (const inFlight of [1, pace.debates.crowd.debates]) {
      const name = `debates of ${AGENTS}, ${inFlight} at once`;
      log(`profiling ${name}`);
      const run = async ({ maxMs, maxCalls }: LoadLimits) => {
        const most = Math.min(DEBATES_MAX, maxCalls, Math.ceil(maxMs / DEBATE_MS));
        const debates = Math.max(inFlight, most);
        const load = { agents: AGENTS, delayMs: 0, inFlight, debates };
        const { wallMs: latencyMs, perSecond } = await measureDebates(testbed, load, tally);
        return { calls: debates, latencyMs, perSecond, elapsedMs: (debates / perSecond) * 1_000 };
      };
      const target = { counted: testbed.witan.processes, bystanders: {}, run };
      profiledRuns.push(await profileLoad(name, target, { inFlight, pace }));
    }
    return { system: testbed.witan.name, processes: testbed.witan.processes, profiledRuns };
  });
