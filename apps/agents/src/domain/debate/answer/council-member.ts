import { staysLocal } from '../../agent/stays-local.ts';
import type { Agent, AgentStore } from '../../agent/agent.ts';
import { PASSAGES_MAX } from '../../knowledge/passage.ts';
import type { Passage, Retrieve } from '../../knowledge/passage.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Recall } from '../../memory/recall.ts';
import type { DebateConfig, DebatingAgent } from '../record/debate-store.ts';

export type CouncilMember = {
  agent: Agent;
  memories: readonly Memory[];
  passages: readonly Passage[];
};

export type Council = {
  members: readonly CouncilMember[];
  excluded: readonly DebatingAgent[];
  isSensitive: boolean;
};

export type GatherCouncilDeps = {
  agents: Pick<AgentStore, 'findByIds'>;
  recall: Recall;
  retrieve: Retrieve;
};

export type Present = Pick<Council, 'excluded' | 'isSensitive'> & { agents: readonly Agent[] };

/**
 * Returns the agents of a debate that can take part in its next rounds, and those that cannot. A
 * debate that started as local-only stays local-only, even if its local-only agent is deleted. From
 * any other debate an agent that has become local-only is excluded, because its calls would not be
 * recorded as local-only.
 */
export const findPresent = async (
  workspaceId: string,
  { agents: asked, isSensitive }: Pick<DebateConfig, 'agents' | 'isSensitive'>,
  { agents }: Pick<GatherCouncilDeps, 'agents'>,
): Promise<Present> => {
  const found = await agents.findByIds(
    workspaceId,
    asked.map(({ id }) => id),
  );
  const present = found.filter((agent) => isSensitive || !staysLocal(agent));
  const byId = new Map(present.map((agent) => [agent.id, agent]));
  return {
    agents: asked.flatMap(({ id }) => byId.get(id) ?? []),
    excluded: asked.filter(({ id }) => !byId.has(id)),
    isSensitive,
  };
};

export const gatherCouncil = async (
  workspaceId: string,
  { agents, ...present }: Present,
  question: string,
  { recall, retrieve }: Omit<GatherCouncilDeps, 'agents'>,
): Promise<Council> => ({
  ...present,
  members: await Promise.all(
    agents.map(async (agent) => {
      const [recalled, passages] = await Promise.all([
        recall.all(workspaceId, agent.id),
        retrieve(workspaceId, { agentId: agent.id, text: question, limit: PASSAGES_MAX }),
      ]);
      const memories = recalled.shownTo({ staysLocal: present.isSensitive });
      return { agent, memories, passages };
    }),
  ),
});
