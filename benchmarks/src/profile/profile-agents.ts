import type { BenchContext } from '../bench.ts';
import { captureProviderRequest, runTurns, toChatTarget } from '../agents/chat/measure-turns.ts';
import type { ChatSystem } from '../agents/chat/chat-row.ts';
import { openChatTestbed } from '../agents/chat/open-chat-testbed.ts';
import type { LoadLimits } from '../load/run-closed-loop.ts';
import { printProfilesOf, profileLoad } from './profile-load.ts';
import type { ProfiledRun } from './profile-load.ts';

const SYSTEMS: readonly ChatSystem[] = ['completion', 'turn', 'turn, streamed'];

/** Prints the CPU use of chat turns by function, and for comparison that of completions. */
export const profileAgents = (context: BenchContext): Promise<void> =>
  printProfilesOf('agents', context, async (profileDir, resources) => {
    const { pace, log } = context;
    const testbed = await openChatTestbed(context, resources, { profileDir });
    const prompt = await captureProviderRequest(testbed);
    const inFlight = Math.max(...pace.agents.chat.inFlight);
    const maxCalls = testbed.chat.sessions.length;
    const profiledRuns: ProfiledRun[] = [];
    for (const system of SYSTEMS) {
      log(`profiling ${system}`);
      const target = toChatTarget(testbed, { system, delayMs: 0, prompt });
      const run = (limits: LoadLimits) =>
        runTurns(testbed, target, { ...limits, maxCalls: Math.min(limits.maxCalls, maxCalls) });
      const load = { ...target.measuredProcesses, run };
      profiledRuns.push(await profileLoad(system, load, { inFlight, pace }));
    }
    return { system: testbed.witan.name, processes: testbed.witan.processes, profiledRuns };
  });
