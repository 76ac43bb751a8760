import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from '../bench.ts';
import { capturePrompt, runTurns, toChatTarget } from '../agents/chat/measure-turns.ts';
import type { ChatSystem } from '../agents/chat/chat-row.ts';
import { openChatStage } from '../agents/chat/open-chat-stage.ts';
import type { LoadLimits } from '../load/run-closed-loop.ts';
import { printProfiles, profileStretch } from './profile-stretch.ts';
import type { Stretch } from './profile-stretch.ts';

const SYSTEMS: readonly ChatSystem[] = ['completion', 'turn', 'turn, streamed'];

/** Prints the CPU use of chat turns by function, and for comparison that of completions. */
export const profileAgents = async (context: BenchContext): Promise<void> => {
  const { stateDir, pace, resources, log } = context;
  const profileDir = join(stateDir, 'profiles-agents');
  await mkdir(profileDir);
  const own = resources.use(new AsyncDisposableStack());
  const stage = await openChatStage(context, own, { profileDir });
  const prompt = await capturePrompt(stage);
  const inFlight = Math.max(...pace.agents.chat.inFlight);
  const maxCalls = stage.chat.sessions.length;
  const stretches: Stretch[] = [];
  for (const system of SYSTEMS) {
    log(`profiling ${system}`);
    const target = toChatTarget(stage, { system, delayMs: 0, prompt });
    const run = (limits: LoadLimits) =>
      runTurns(stage, target, { ...limits, maxCalls: Math.min(limits.maxCalls, maxCalls) });
    const stretch = await profileStretch(system, { ...target.accounted, run }, { inFlight, pace });
    stretches.push(stretch);
  }
  // Node writes the profiles when the processes end.
  await own.disposeAsync();
  const processes = stage.witan.processes;
  await printProfiles(profileDir, processes, { system: stage.witan.name, stretches });
};
