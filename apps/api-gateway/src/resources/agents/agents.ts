import type { AgentService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { AGENT, AGENTS, NEW_AGENT } from './agent-schema.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { AGENT_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Agents = Client<typeof AgentService>;

const shared = { path: '/v1/agents', surface: 'native', tag: 'Agents' } as const;

export const createAgentRoute = (agents: Agents): Route => ({
  ...shared,
  id: 'createAgent',
  method: 'post',
  summary: 'Make an agent; its name is its address, agent:<slug>, too',
  scopes: ['agents'],
  body: NEW_AGENT,
  idempotent: true,
  responses: {
    201: { description: 'The agent', schema: AGENT },
    400: DOCUMENTED_ERROR.native('A text is missing or too long, or the name has no letter'),
    409: DOCUMENTED_ERROR.native(
      'The name is taken (slug_taken), the workspace has as many agents as it may, or a call ' +
        'with this Idempotency-Key runs or lost its answer',
    ),
  },
  handle: async (call) => {
    const body = call.body as Static<typeof NEW_AGENT>;
    const draft = {
      name: body.name,
      systemPrompt: body.systemPrompt,
      role: body.role ?? '',
      personality: body.personality ?? '',
      mission: body.mission ?? '',
      decisionStyle: body.decisionStyle ?? '',
      model: body.model ?? '',
    };
    return reply(201, AGENT, await agents.createAgent(draft, optionsOf(call)));
  },
});

export const agentsRoute = (agents: Agents): Route => ({
  ...shared,
  id: 'listAgents',
  method: 'get',
  summary: "List the workspace's agents, newest first",
  scopes: ['agents', 'agents:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The agents', schema: AGENTS },
  },
  handle: async (call) => {
    const page = await agents.listAgents(readPage(call, AGENT_ID.is), optionsOf(call));
    return reply(200, AGENTS, page);
  },
});
