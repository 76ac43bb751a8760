import type { AgentService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { AGENT, AGENT_CHANGE, UPDATED_AGENT } from './agent-schema.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { AGENT_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Agents = Client<typeof AgentService>;

const shared = {
  path: '/v1/agents/{id}',
  surface: 'native',
  tag: 'Agents',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such agent in this workspace');

export const agentRoute = (agents: Agents): Route => ({
  ...shared,
  id: 'getAgent',
  method: 'get',
  summary: 'One agent',
  scopes: ['agents', 'agents:read'],
  responses: { 200: { description: 'The agent', schema: AGENT }, 404: notFoundError },
  handle: async (call) => {
    const response = await agents.getAgent({ id: AGENT_ID.read(call.params.id) }, optionsOf(call));
    return reply(200, AGENT, response);
  },
});

export const updateAgentRoute = (agents: Agents): Route => ({
  ...shared,
  id: 'updateAgent',
  method: 'patch',
  summary: 'Change an agent; what is absent stays, and a new name is a new address',
  description:
    'An agent of `service-sensitive`, or of a model with `+sensitive`, is processed on this ' +
    'machine, and so is everything derived from it. Moved to another model, it cannot continue ' +
    'its sessions, and what it noted is shown to no hosted model: `closedSessions` and ' +
    '`hiddenMemories` say how many. Moved back, it has them again.',
  scopes: ['agents'],
  body: AGENT_CHANGE,
  responses: {
    200: { description: 'The agent as it is now', schema: UPDATED_AGENT },
    400: DOCUMENTED_ERROR.native('A text is empty or too long, or the name has no letter'),
    404: notFoundError,
    409: DOCUMENTED_ERROR.native('The name is taken (slug_taken)'),
  },
  handle: async (call) => {
    const body = call.body as Static<typeof AGENT_CHANGE>;
    const change = {
      id: AGENT_ID.read(call.params.id),
      name: body.name,
      systemPrompt: body.systemPrompt,
      role: emptyIfNull(body.role),
      personality: emptyIfNull(body.personality),
      mission: emptyIfNull(body.mission),
      decisionStyle: emptyIfNull(body.decisionStyle),
      model: emptyIfNull(body.model),
    };
    const { agent, leftMachine } = await agents.updateAgent(change, optionsOf(call));
    return reply(200, UPDATED_AGENT, { agent, ...leftMachine });
  },
});

export const deleteAgentRoute = (agents: Agents): Route => ({
  ...shared,
  id: 'deleteAgent',
  method: 'delete',
  summary: 'Delete an agent with its sessions, memories and facts; its certificates stay',
  scopes: ['agents'],
  responses: { 204: { description: 'It is gone' }, 404: notFoundError },
  handle: async (call) => {
    await agents.deleteAgent({ id: AGENT_ID.read(call.params.id) }, optionsOf(call));
    return { status: 204 };
  },
});

const emptyIfNull = (text: string | null | undefined): string | undefined =>
  text === null ? '' : text;
