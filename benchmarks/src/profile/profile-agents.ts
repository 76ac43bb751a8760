import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from '../bench.ts';
import { capturePrompt, runTurns, toChatTarget } from '../agents/chat/measure-turns.ts';
import type { ChatSystem } from '../agents/chat/chat-row.ts';
import { openChatTestbed } from '../agents/chat/open-chat-testbed.ts';
import type { LoadLimits } from '../load/run-closed-loop.ts';
import { printProfiles, profileLoad } from './profile-load.ts';
import type { ProfiledRun } from './profile-load.ts';

const SYSTEMS: readonly ChatSystem[] = ['completion', 'turn', 'turn, streamed'];

/** Prints the CPU use of chat turns by function, and for comparison that of completions. */
export const profileAgents = async (context: BenchContext): Promise<void> => {
  const { stateDir, pace, resources, log } = context;
  const profileDir = join(stateDir, 'profiles-agents');
  await mkdir(profileDir);
  const ownResources = resources.use(new AsyncDisposableStack());
  const testbed = await openChatTestbed(context, ownResources, { profileDir });
  const prompt = await capturePrompt(testbed);
  const inFlight = Math.max(...pace.agents.chat.inFlight);
  const maxCalls = testbed.chat.sessions.length;
  const profiledRuns: ProfiledRun[] = [];
  for (const system of SYSTEMS) {
    log(`profiling ${system}`);
    const target = toChatTarget(testbed, { system, delayMs: 0, prompt });
    const run = (limits: LoadLimits) =>
      runTurns(testbed, target, { ...limits, maxCalls: Math.min(limits.maxCalls, maxCalls) });
    const profiledRun = await profileLoad(
      system,
      { ...target.measuredProcesses, run },
      { inFlight, pace },
    );
    profiledRuns.push(profiledRun);
  }
  // Node writes the profiles when the processes end.
  await ownResources.disposeAsync();
  const processes = testbed.witan.processes;
  await printProfiles(profileDir, processes, { system: testbed.witan.name, profiledRuns });
};
