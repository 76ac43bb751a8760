import type { ToolService } from '@witan/contracts/services';
import { parseExactly } from '@witan/dialects';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { optionsOf } from '../../http/call-options.ts';
import { TOOL_TEST_TIMEOUT_MS } from '../../http/call-timeout.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { runAudited } from '../run-audited.ts';
import { encodeToolTest, toToolSecretReply, withParameters } from './encode-tool.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { TOOL, TOOL_CHANGE, TOOL_TEST, TOOL_TEST_RESULT, TOOL_WITH_SECRET } from './tool-schema.ts';
import { TOOL_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Tools = Client<typeof ToolService>;

const shared = {
  path: '/v1/tools/{id}',
  surface: 'native',
  tag: 'Tools',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such tool in this workspace');
const idOf = ({ params }: RouteCall): string => TOOL_ID.read(params.id);

export const toolRoute = (tools: Tools): Route => ({
  ...shared,
  id: 'getTool',
  method: 'get',
  summary: 'One tool and the agents that may call it; never its secret',
  scopes: ['tools', 'tools:read'],
  responses: { 200: { description: 'The tool', schema: TOOL }, 404: notFoundError },
  handle: async (call) => {
    const { tool } = await tools.getTool({ id: idOf(call) }, optionsOf(call));
    return reply(200, TOOL, { tool: withParameters(tool) });
  },
});

/**
 * Returns the routes that change a tool, PATCH and PUT. Both change only the members that the body
 * has.
 */
export const updateToolRoutes = (tools: Tools): Route[] =>
  (['patch', 'put'] as const).map((method) => ({
    ...shared,
    id: method === 'patch' ? 'updateTool' : 'putTool',
    method,
    summary: 'Change a tool, take it from all agents or give it back; what is absent stays',
    scopes: ['tools'],
    body: TOOL_CHANGE,
    responses: {
      200: { description: 'The tool as it is now', schema: TOOL },
      400: DOCUMENTED_ERROR.native(
        'The schema cannot be used (param says where), or the URL is blocked (blocked_address)',
      ),
      404: notFoundError,
      409: DOCUMENTED_ERROR.native('The name is taken (name_taken)'),
    },
    handle: async (call) => {
      const { parameters, name, description, url, isActive } = call.body as Static<
        typeof TOOL_CHANGE
      >;
      const change = {
        id: idOf(call),
        name,
        description,
        parameters: parameters && JSON.stringify(parameters),
        url,
        isActive,
      };
      const { tool } = await tools.updateTool(change, optionsOf(call));
      return reply(200, TOOL, { tool: withParameters(tool) });
    },
  }));

export const deleteToolRoute = (tools: Tools, recordAudit: RecordAudit): Route => ({
  ...shared,
  id: 'deleteTool',
  method: 'delete',
  summary: 'Delete a tool, its secret and its links',
  scopes: ['tools'],
  responses: { 204: { description: 'It is gone' }, 404: notFoundError },
  handle: async (call) => {
    const id = idOf(call);
    await runAudited(call, { action: 'tool.deleted', subject: id, recordAudit }, (options) =>
      tools.deleteTool({ id }, options),
    );
    return { status: 204 };
  },
});

export const rotateToolSecretRoute = (tools: Tools, recordAudit: RecordAudit): Route => ({
  ...shared,
  id: 'rotateToolSecret',
  method: 'post',
  path: '/v1/tools/{id}/rotate-secret',
  summary: 'Replace the secret; the old one signs nothing any more',
  scopes: ['tools'],
  idempotent: true,
  responses: {
    200: {
      description: 'The tool with its new secret',
      schema: TOOL_WITH_SECRET,
      headers: { 'cache-control': 'no-store' },
    },
    404: notFoundError,
  },
  handle: async (call) => {
    const id = idOf(call);
    const subject = { action: 'tool.rotated', subject: id, recordAudit } as const;
    const created = await runAudited(call, subject, (options) =>
      tools.rotateToolSecret({ id }, options),
    );
    return toToolSecretReply(200, created);
  },
});

export const testToolRoute = (tools: Tools): Route => ({
  ...shared,
  id: 'testTool',
  method: 'post',
  path: '/v1/tools/{id}/test',
  summary: 'Call a tool once as an agent would, signed, also when it is not active',
  scopes: ['tools'],
  body: TOOL_TEST,
  responses: {
    200: {
      description: 'How it went; arguments that do not fit the schema are not sent',
      schema: TOOL_TEST_RESULT,
    },
    404: notFoundError,
  },
  handle: async (call) => {
    const request = { id: idOf(call), arguments: readTestArguments(call) };
    const options = { ...optionsOf(call), timeoutMs: TOOL_TEST_TIMEOUT_MS };
    const { run } = await tools.testTool(request, options);
    return { status: 200, json: encodeToolTest(run!) };
  },
});

/**
 * Returns the JSON text of a test's arguments. It parses the source again, because the parsed body
 * has lost digits that a double cannot represent.
 */
const readTestArguments = ({ body, source }: RouteCall): string => {
  if (body.arguments === undefined) return '{}';
  const { arguments: args } = parseExactly(Buffer.from(source).toString()) as { arguments: object };
  return JSON.stringify(args);
};
