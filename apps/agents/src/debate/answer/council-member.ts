import { staysLocal } from '../../agent/agent.ts';
import type { Agent, AgentStore } from '../../agent/agent.ts';
import { PASSAGES_MAX } from '../../knowledge/passage.ts';
import type { Passage, Retrieve } from '../../knowledge/passage.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Recall } from '../../memory/memory-store.ts';
import type { DebateConfig } from '../record/debate-store.ts';
import type { DebatingAgent } from '../record/debate-event.ts';

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

export type PresentCouncil = Pick<Council, 'excluded' | 'isSensitive'> & {
  agents: readonly Agent[];
};

/**
 * Returns the agents of a debate that can take part in its next rounds, and those that cannot. A
 * debate that started as local-only stays local-only, even if its local-only agent is deleted. From
 * any other debate an agent that has become local-only is excluded, because its calls would not be
 * recorded as local-only.
 */
export const findPresent = async (
  workspaceId: string,
  { agents: configuredAgents, isSensitive }: Pick<DebateConfig, 'agents' | 'isSensitive'>,
  { agents }: Pick<GatherCouncilDeps, 'agents'>,
): Promise<PresentCouncil> => {
  const found = await agents.findByIds(
    workspaceId,
    configuredAgents.map(({ id }) => id),
  );
  const presentAgents = found.filter((agent) => isSensitive || !staysLocal(agent));
  const byId = new Map(presentAgents.map((agent) => [agent.id, agent]));
  return {
    agents: configuredAgents.flatMap(({ id }) => byId.get(id) ?? []),
    excluded: configuredAgents.filter(({ id }) => !byId.has(id)),
    isSensitive,
  };
};

export const gatherCouncil = async (
  workspaceId: string,
  { agents, ...council }: PresentCouncil,
  question: string,
  { recall, retrieve }: Omit<GatherCouncilDeps, 'agents'>,
): Promise<Council> => ({
  ...council,
  members: await Promise.all(
    agents.map(async (agent) => {
      const [recalled, passages] = await Promise.all([
        recall.all(workspaceId, agent.id),
        retrieve(workspaceId, {
          agentId: agent.id,
          text: question,
          limit: PASSAGES_MAX,
          isLocal: council.isSensitive || staysLocal(agent),
        }),
      ]);
      const memories = recalled.visibleTo({ staysLocal: council.isSensitive });
      return { agent, memories, passages };
    }),
  ),
});
