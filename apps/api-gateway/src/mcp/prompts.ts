import type { Route } from '../http/route.ts';
import { AGENTS } from '../resources/agents/agent-schema.ts';
import { grantsAny } from '../auth/scope.ts';
import type { Static } from '../http/schema.ts';
import type { CallRoute } from './call-route.ts';
import { invalidParams, isObject } from './json-rpc.ts';
import { cachedFor } from './mcp-method.ts';
import type { McpCall, McpMethods } from './mcp-method.ts';
import { unwrap } from './route-result.ts';

export type PromptDeps = { callRoute: CallRoute; routeOf: (id: string) => Route };

type AgentPage = Static<typeof AGENTS>;
type Agent = AgentPage['agents'][number];

const PROMPTS_TTL_MS = 60_000;
/** More than the agents that a workspace may have. */
const AGENTS_LIMIT = 500;

/**
 * Returns the methods of prompts: one for each agent of the workspace, named by its slug. Each
 * prompt asks for a call of `ask_agent`, so a key that may not call it has none.
 */
export const createPromptMethods = (deps: PromptDeps): McpMethods => ({
  'prompts/list': async (mcpCall) => {
    const { scopes = [] } = deps.routeOf('chatWithAgent');
    const mayAsk = grantsAny(mcpCall.call.principal!.scopes, scopes);
    const agents = mayAsk ? await listAgents(mcpCall, deps) : [];
    return { prompts: agents.map(toPrompt), ...cachedFor(PROMPTS_TTL_MS) };
  },
  'prompts/get': async (mcpCall) => {
    const { name, arguments: args } = mcpCall.params;
    const agents = await listAgents(mcpCall, deps);
    const agent = agents.find(({ slug }) => slug === name);
    if (!agent) throw invalidParams(`There is no prompt ${JSON.stringify(name)}.`);
    const question = isObject(args) ? args[QUESTION.name] : undefined;
    if (typeof question !== 'string') throw invalidParams(`${QUESTION.name} is required.`);
    return {
      description: describe(agent),
      messages: [{ role: 'user', content: { type: 'text', text: toMessage(agent, question) } }],
    };
  },
});

export const listAgents = async (
  { call }: Pick<McpCall, 'call'>,
  { callRoute, routeOf }: PromptDeps,
): Promise<readonly Agent[]> => {
  const query = { limit: AGENTS_LIMIT };
  const page = unwrap(await callRoute(routeOf('listAgents'), { query }, call));
  return (page as AgentPage).agents;
};

const QUESTION = { name: 'question', description: 'What to ask', required: true } as const;

const toPrompt = (agent: Agent) => ({
  name: agent.slug,
  title: `Ask ${agent.name}`,
  description: describe(agent),
  arguments: [QUESTION],
});

const describe = ({ name, role }: Agent): string => (role === '' ? name : `${name}, ${role}`);

const toMessage = (agent: Agent, question: string): string =>
  `Call the tool ask_agent with agentId "${agent.id}" (${describe(agent)}) and this message, ` +
  `unchanged, and give me the answer with the id of its certificate:\n\n${question}`;
