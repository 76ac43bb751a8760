import type { AgentService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { AGENT, AGENTS, NEW_AGENT } from './agent-schema.ts';
import { encodeAgent, isAgentId } from './encode-agent.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { encodeNext, PAGE_QUERY, readPage } from '../list-page.ts';

type Agents = Client<typeof AgentService>;
type NewAgentBody = {
  name: string;
  systemPrompt: string;
  role?: string | null;
  personality?: string | null;
  mission?: string | null;
  decisionStyle?: string | null;
  model?: string | null;
};

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
    const body = call.body as NewAgentBody;
    const draft = {
      name: body.name,
      systemPrompt: body.systemPrompt,
      role: body.role ?? '',
      personality: body.personality ?? '',
      mission: body.mission ?? '',
      decisionStyle: body.decisionStyle ?? '',
      model: body.model ?? '',
    };
    const { agent } = await agents.createAgent(draft, optionsOf(call));
    return { status: 201, json: { agent: encodeAgent(agent!) } };
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
    400: DOCUMENTED_ERROR.native('limit is out of range, or cursor is none that was given'),
  },
  handle: async (call) => {
    const page = await agents.listAgents(readPage(call, isAgentId), optionsOf(call));
    const json = { agents: page.agents.map(encodeAgent), ...encodeNext(page.nextCursor) };
    return { status: 200, json };
  },
});
