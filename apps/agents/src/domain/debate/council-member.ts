import { staysLocal } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import type { Agents } from '../agent/agents.ts';
import { isServiceError } from '@witan/contracts';
import { PASSAGES_MAX } from '../knowledge/passage.ts';
import type { Passage, Retrieve } from '../knowledge/passage.ts';
import type { Memory } from '../memory/memory.ts';
import type { Recall } from '../memory/recall.ts';
import type { DebatingAgent } from './debate-store.ts';

/** Who takes part in a debate, with all that it knows of the question. */
export type CouncilMember = {
  agent: Agent;
  memories: readonly Memory[];
  passages: readonly Passage[];
};

export type Council = {
  members: readonly CouncilMember[];
  /** Those who were deleted since the debate began. */
  gone: readonly DebatingAgent[];
  /** What is said must not leave the machine, because it would be a member's who stays on it. */
  isSensitive: boolean;
};

export type GatherCouncilDeps = { agents: Pick<Agents, 'get'>; recall: Recall; retrieve: Retrieve };

/** Reads the members of a debate, and what each remembers and has been given to read. */
export const gatherCouncil = async (
  workspaceId: string,
  { agents, question }: { agents: readonly DebatingAgent[]; question: string },
  deps: GatherCouncilDeps,
): Promise<Council> => {
  const found = await Promise.all(
    agents.map(async ({ id }) => readMember(workspaceId, { id, question }, deps)),
  );
  const members = found.filter((member) => member !== undefined);
  return {
    members,
    gone: agents.filter((_agent, index) => found[index] === undefined),
    isSensitive: members.some(({ agent }) => staysLocal(agent)),
  };
};

const readMember = async (
  workspaceId: string,
  { id, question }: { id: string; question: string },
  { agents, recall, retrieve }: GatherCouncilDeps,
): Promise<CouncilMember | undefined> => {
  try {
    const [agent, memories, passages] = await Promise.all([
      agents.get(workspaceId, id),
      recall.all(workspaceId, id),
      retrieve(workspaceId, { agentId: id, text: question, limit: PASSAGES_MAX }),
    ]);
    return { agent, memories, passages };
  } catch (error) {
    if (isServiceError(error) && error.reason === 'NOT_FOUND') return undefined;
    throw error;
  }
};
