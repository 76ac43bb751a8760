import type { ToolService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { NEW_TOOL_LINK, TOOL_LINK, TOOLS } from './tool-schema.ts';
import { AGENT_ID, TOOL_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';
import { withParameters } from './encode-tool.ts';

type Tools = Client<typeof ToolService>;

/**
 * Linking a tool lets the agent call an external URL, so these routes need the scope `tools`, as
 * `agentIds` of a new tool does. A key with the scope `agents` alone cannot see the URLs of tools.
 */
const shared = {
  path: '/v1/agents/{id}/tools',
  surface: 'native',
  tag: 'Tools',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such agent, or no such tool, in this workspace');

export const linkToolRoute = (tools: Tools): Route => ({
  ...shared,
  id: 'linkTool',
  method: 'post',
  summary: 'Let an agent call a tool; harmless when it may already',
  scopes: ['tools'],
  body: NEW_TOOL_LINK,
  responses: {
    200: { description: 'The agent has the tool', schema: TOOL_LINK },
    404: notFoundError,
  },
  handle: async (call) => {
    const agentId = AGENT_ID.read(call.params.id);
    const toolId = TOOL_ID.read((call.body as Static<typeof NEW_TOOL_LINK>).toolId, 'toolId');
    await tools.linkTool({ agentId, toolId }, optionsOf(call));
    return { status: 200, json: { agentId, toolId } };
  },
});

export const agentToolsRoute = (tools: Tools): Route => ({
  ...shared,
  id: 'listAgentTools',
  method: 'get',
  summary: 'List the tools that an agent may call when they are active, newest first',
  scopes: ['tools', 'tools:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The tools', schema: TOOLS },
    404: DOCUMENTED_ERROR.native('No such agent in this workspace'),
  },
  handle: async (call) => {
    const request = { agentId: AGENT_ID.read(call.params.id), ...readPage(call, TOOL_ID.is) };
    const page = await tools.listAgentTools(request, optionsOf(call));
    return reply(200, TOOLS, { ...page, tools: page.tools.map(withParameters) });
  },
});

export const unlinkToolRoute = (tools: Tools): Route => ({
  ...shared,
  id: 'unlinkTool',
  method: 'delete',
  path: '/v1/agents/{id}/tools/{toolId}',
  summary: 'Take a tool from an agent; the tool stays, and so do its other links',
  scopes: ['tools'],
  responses: { 204: { description: 'The agent has it no more' }, 404: notFoundError },
  handle: async (call) => {
    const agentId = AGENT_ID.read(call.params.id);
    const toolId = TOOL_ID.read(call.params.toolId, 'toolId');
    await tools.unlinkTool({ agentId, toolId }, optionsOf(call));
    return { status: 204 };
  },
});
