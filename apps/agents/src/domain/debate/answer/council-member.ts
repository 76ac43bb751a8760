import { staysLocal } from '../../agent/agent.ts';
import type { Agent, AgentStore } from '../../agent/agent.ts';
import { PASSAGES_MAX } from '../../knowledge/passage.ts';
import type { Passage, Retrieve } from '../../knowledge/passage.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Recall } from '../../memory/recall.ts';
import type { DebateConfig, DebatingAgent } from '../record/debate-store.ts';

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

export type GatherCouncilDeps = {
  agents: Pick<AgentStore, 'findAll'>;
  recall: Recall;
  retrieve: Retrieve;
};

/** Those of a debate's agents who are still there. */
export type Present = Pick<Council, 'gone' | 'isSensitive'> & { agents: readonly Agent[] };

/**
 * Reads who takes part: a question must not be shown to any model before that is known. Also when a
 * member that stayed on the machine is gone or stays there no more, what it said does.
 */
export const findPresent = async (
  workspaceId: string,
  { agents: asked, isSensitive }: Pick<DebateConfig, 'agents' | 'isSensitive'>,
  { agents }: Pick<GatherCouncilDeps, 'agents'>,
): Promise<Present> => {
  const found = await agents.findAll(
    workspaceId,
    asked.map(({ id }) => id),
  );
  const byId = new Map(found.map((agent) => [agent.id, agent]));
  return {
    agents: asked.flatMap(({ id }) => byId.get(id) ?? []),
    gone: asked.filter(({ id }) => !byId.has(id)),
    isSensitive: isSensitive || found.some(staysLocal),
  };
};

/** Reads what each of them remembers and has been given to read. */
export const gatherCouncil = async (
  workspaceId: string,
  { agents, ...present }: Present,
  question: string,
  { recall, retrieve }: Omit<GatherCouncilDeps, 'agents'>,
): Promise<Council> => ({
  ...present,
  members: await Promise.all(
    agents.map(async (agent) => {
      const [memories, passages] = await Promise.all([
        recall.all(workspaceId, agent.id),
        retrieve(workspaceId, { agentId: agent.id, text: question, limit: PASSAGES_MAX }),
      ]);
      return { agent, memories, passages };
    }),
  ),
});
