import type { AgentService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { AgentChange, Persona, Agent } from '../agent.ts';
import type { Agents } from '../agents.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AgentSchema } from '@witan/contracts';

export const createAgentHandlers = (agents: Agents): Handlers<typeof AgentService> => ({
  createAgent: async (draft, { workspaceId }) => ({
    agent: toAgent(await agents.create(workspaceId, toPersona(draft))),
  }),
  listAgents: async (page, { workspaceId }) => {
    const { items, nextCursor } = await agents.list(workspaceId, page);
    return { agents: items.map(toAgent), nextCursor };
  },
  getAgent: async ({ id }, { workspaceId }) => ({
    agent: toAgent(await agents.get(workspaceId, id)),
  }),
  findAgent: async ({ slug }, { workspaceId }) => ({
    agent: toAgent(await agents.getBySlug(workspaceId, slug)),
  }),
  updateAgent: async ({ id, ...change }, { workspaceId }) => {
    const { agent, localOnlyCounts: leftMachine } = await agents.update(
      workspaceId,
      id,
      toChange(change),
    );
    if (!leftMachine) return { agent: toAgent(agent) };
    const { sessions: closedSessions, memories: hiddenMemories } = leftMachine;
    return { agent: toAgent(agent), leftMachine: { closedSessions, hiddenMemories } };
  },
  deleteAgent: async ({ id }, { workspaceId }) => {
    await agents.remove(workspaceId, id);
    return {};
  },
});

const toPersona = (draft: Persona): Persona => ({
  name: draft.name,
  role: draft.role,
  systemPrompt: draft.systemPrompt,
  personality: draft.personality,
  mission: draft.mission,
  decisionStyle: draft.decisionStyle,
  model: draft.model,
});

const toChange = (change: AgentChange): AgentChange =>
  Object.fromEntries(
    Object.entries(toPersona(change as Persona)).filter(([, text]) => text !== undefined),
  );

export const toAgent = ({
  createdAt,
  updatedAt,
  ...agent
}: Agent): MessageInitShape<typeof AgentSchema> => ({
  ...agent,
  createdAt: timestampFromDate(createdAt),
  updatedAt: timestampFromDate(updatedAt),
});
