import type { ToolRun } from '@witan/contracts';
import type { ToolService } from '@witan/contracts/services';
import { isTooDeep, parseExactly } from '@witan/dialects';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { TOOL_TEST_TIMEOUT_MS } from '../../http/route.ts';
import { encodeAs } from '../../http/encode.ts';
import { readObjectText } from '../../http/encode.ts';
import type { Route } from '../../http/route.ts';
import { nativeRoutes } from '../native-routes.ts';
import { AGENT_ID, TOOL_ID } from '../resource-id.ts';
import { createAudited, membersOf, runAudited } from '../run-audited.ts';
import {
  NEW_TOOL,
  NEW_TOOL_LINK,
  TOOL,
  TOOL_CHANGE,
  TOOL_LINK,
  TOOL_RUN,
  TOOL_TEST,
  TOOL_TEST_RESULT,
  TOOL_WITH_SECRET,
  TOOLS,
} from './tool-schema.ts';

type Tools = Client<typeof ToolService>;

const { create, list, get, act, change, replace, remove, handled } = nativeRoutes('Tools', 'tools');

const PATH = '/v1/tools/{id}';
const OF_MCP_SERVER = { 409: 'An MCP server has the tool (tool_of_mcp_server)' } as const;

export const toolRoutes = (tools: Tools, recordAudit: RecordAudit): Route[] => [
  createToolRoute(tools, recordAudit),
  list('/v1/tools', {
    id: 'listTools',
    summary: "List the workspace's tools, newest first; never their secrets",
    returns: 'The tools',
    schema: TOOLS,
    cursorId: TOOL_ID,
    run: ({ page, options }) => tools.listTools(page, options),
  }),
  get(PATH, {
    id: 'getTool',
    summary: 'One tool and the agents that may call it; never its secret',
    ids: { id: TOOL_ID },
    returns: 'The tool',
    schema: TOOL,
    run: ({ ids, options }) => tools.getTool(ids, options),
  }),
  updateToolRoute(tools, { id: 'updateTool', define: change, recordAudit }),
  updateToolRoute(tools, { id: 'putTool', define: replace, recordAudit }),
  remove(PATH, {
    id: 'deleteTool',
    summary: 'Delete a tool, its secret and its links',
    ids: { id: TOOL_ID },
    errors: OF_MCP_SERVER,
    run: ({ call, ids }) =>
      runAudited(call, { action: 'tool.deleted', subject: ids.id, recordAudit }, (options) =>
        tools.deleteTool(ids, options),
      ),
  }),
  act('/v1/tools/{id}/rotate-secret', {
    id: 'rotateToolSecret',
    summary: 'Replace the secret; the old one signs nothing any more',
    ids: { id: TOOL_ID },
    idempotent: true,
    returns: 'The tool with its new secret',
    returnsHeaders: { 'cache-control': 'no-store' },
    schema: TOOL_WITH_SECRET,
    errors: {
      409: `${OF_MCP_SERVER[409]}, or a call with this Idempotency-Key runs or lost its answer`,
    },
    run: ({ call, ids }) =>
      runAudited(call, { action: 'tool.rotated', subject: ids.id, recordAudit }, (options) =>
        tools.rotateToolSecret(ids, options),
      ),
  }),
  testToolRoute(tools),
  ...toolLinkRoutes(tools, recordAudit),
];

/**
 * Returns the PATCH or PUT route of a tool. Both change only the members that the body contains.
 */
const updateToolRoute = (
  tools: Tools,
  { id, define, recordAudit }: { id: string; define: typeof change; recordAudit: RecordAudit },
): Route =>
  define(PATH, {
    id,
    summary: 'Change a tool, take it from all agents or give it back; what is absent stays',
    ids: { id: TOOL_ID },
    body: TOOL_CHANGE,
    returns: 'The tool as it is now',
    schema: TOOL,
    errors: {
      400: 'The schema cannot be used (param says where), or the URL is blocked (blocked_address)',
      409: 'The name is taken (name_taken), or an MCP server has the tool (tool_of_mcp_server)',
    },
    run: ({ call, ids, body }) => {
      const { parameters, name, description, url, isActive } = body;
      const parametersText = parameters && JSON.stringify(parameters);
      const members = { name, description, parameters: parametersText, url, isActive };
      const detail = membersOf(body, TOOL_CHANGE);
      const entry = { action: 'tool.changed', subject: ids.id, detail, recordAudit } as const;
      return runAudited(call, entry, (options) =>
        tools.updateTool({ ...ids, ...members }, options),
      );
    },
  });

const LINKS_PATH = '/v1/agents/{id}/tools';
const linkErrors = { 404: 'No such agent, or no such tool, in this workspace' } as const;

/**
 * Returns the routes that link tools to agents. Linking a tool lets the agent call an external URL,
 * so these routes need the scope `tools`, as `agentIds` of a new tool does. A key with the scope
 * `agents` alone cannot see the URLs of tools.
 */
const toolLinkRoutes = (tools: Tools, recordAudit: RecordAudit): Route[] => [
  act(LINKS_PATH, {
    id: 'linkTool',
    summary: 'Let an agent call a tool; harmless when it may already',
    ids: { id: AGENT_ID },
    body: NEW_TOOL_LINK,
    returns: 'The agent has the tool',
    schema: TOOL_LINK,
    errors: linkErrors,
    run: async ({ call, ids, body }) => {
      const link = { agentId: ids.id, toolId: TOOL_ID.read(body.toolId, 'toolId') };
      const entry = { action: 'tool.linked', subject: link.toolId, detail: ids.id } as const;
      await runAudited(call, { ...entry, recordAudit }, (options) => tools.linkTool(link, options));
      return link;
    },
  }),
  list(LINKS_PATH, {
    id: 'listAgentTools',
    summary: 'List the tools that an agent may call when they are active, newest first',
    ids: { id: AGENT_ID },
    returns: 'The tools',
    schema: TOOLS,
    cursorId: TOOL_ID,
    run: ({ ids, page, options }) => tools.listAgentTools({ agentId: ids.id, ...page }, options),
  }),
  remove('/v1/agents/{id}/tools/{toolId}', {
    id: 'unlinkTool',
    summary: 'Take a tool from an agent; the tool stays, and so do its other links',
    ids: { id: AGENT_ID },
    returns: 'The agent has it no more',
    errors: linkErrors,
    run: ({ call, ids }) => {
      const toolId = TOOL_ID.read(call.params.toolId, 'toolId');
      const entry = { action: 'tool.unlinked', subject: toolId, detail: ids.id } as const;
      return runAudited(call, { ...entry, recordAudit }, (options) =>
        tools.unlinkTool({ agentId: ids.id, toolId }, options),
      );
    },
  }),
];

export const encodeToolRun = (run: ToolRun) =>
  encodeAs(TOOL_RUN, run, {
    arguments: readArguments(run.arguments),
    result: run.error === '' ? parseExactly(run.result) : null,
  });

/**
 * Maximum nesting of tool arguments that are returned as JSON. More deeply nested ones could
 * overflow the stack when written, so they are returned as text.
 */
const DEPTH_MAX = 64;

const readArguments = (text: string): unknown => {
  const json = text.trim() === '' ? '{}' : text;
  if (!json.trimStart().startsWith('{') || isTooDeep(json, DEPTH_MAX)) return text;
  try {
    return parseExactly(json);
  } catch {
    return text;
  }
};

const createToolRoute = (tools: Tools, recordAudit: RecordAudit): Route =>
  create('/v1/tools', {
    id: 'createTool',
    summary: 'Register an https endpoint that agents may call; its secret is shown once',
    body: NEW_TOOL,
    returns: 'The tool with its secret',
    returnsHeaders: { 'cache-control': 'no-store' },
    schema: TOOL_WITH_SECRET,
    errors: {
      400:
        'The schema cannot be used (param says where), an agent is unknown, or the URL is ' +
        'blocked (blocked_address)',
      409:
        'The name is taken (name_taken), the workspace has 100 tools (tool_limit_reached), or a ' +
        'call with this Idempotency-Key runs or lost its answer',
    },
    run: ({ call, body: { parameters, agentIds = [], ...body } }) => {
      const draft = {
        name: body.name,
        description: body.description,
        parameters: JSON.stringify(parameters),
        url: body.url,
        agentIds,
      };
      return createAudited(
        call,
        { action: 'tool.created', recordAudit },
        (options) => tools.createTool(draft, options),
        ({ tool }) => tool!.id,
      );
    },
  });

const testToolRoute = (tools: Tools): Route =>
  handled('post', '/v1/tools/{id}/test', {
    id: 'testTool',
    summary: 'Call a tool once as an agent would, signed, also when it is not active',
    ids: { id: TOOL_ID },
    body: TOOL_TEST,
    responses: {
      200: {
        description: 'How it went; arguments that do not fit the schema are not sent',
        schema: TOOL_TEST_RESULT,
      },
    },
    handle: async ({ call, ids, options }) => {
      const request = { ...ids, arguments: readObjectText(call, 'arguments') ?? '{}' };
      const testOptions = { ...options, timeoutMs: TOOL_TEST_TIMEOUT_MS };
      const { run } = await tools.testTool(request, testOptions);
      const { status, httpStatus, durationMs, result, error } = encodeToolRun(run!);
      const success = status === 'ok';
      return { status: 200, json: { success, status, httpStatus, durationMs, result, error } };
    },
  });
