import { staysLocal } from '../../agent/stays-local.ts';
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
  /** Those who were deleted, or must not take part any more, since the debate began. */
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
 * Reads who takes part. Whether a debate stays on the machine is decided when it begins: also when
 * a member that stayed there is gone or stays there no more, what it said does; and an agent that
 * stays there only since then takes no part, because what it hears and says would be in no record
 * of calls that stayed.
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
  const present = found.filter((agent) => isSensitive || !staysLocal(agent));
  const byId = new Map(present.map((agent) => [agent.id, agent]));
  return {
    agents: asked.flatMap(({ id }) => byId.get(id) ?? []),
    gone: asked.filter(({ id }) => !byId.has(id)),
    isSensitive,
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
      const [recalled, passages] = await Promise.all([
        recall.all(workspaceId, agent.id),
        retrieve(workspaceId, { agentId: agent.id, text: question, limit: PASSAGES_MAX }),
      ]);
      const memories = recalled.shownTo({ staysLocal: present.isSensitive });
      return { agent, memories, passages };
    }),
  ),
});
