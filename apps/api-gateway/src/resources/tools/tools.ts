import type { ToolService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { toToolSecretReply, withParameters } from './encode-tool.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { NEW_TOOL, TOOL_WITH_SECRET, TOOLS } from './tool-schema.ts';
import { TOOL_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Tools = Client<typeof ToolService>;

const shared = { path: '/v1/tools', surface: 'native', tag: 'Tools' } as const;

export const createToolRoute = (tools: Tools, recordAudit: RecordAudit): Route => ({
  ...shared,
  id: 'createTool',
  method: 'post',
  summary: 'Register an https endpoint that agents may call; its secret is shown once',
  scopes: ['tools'],
  body: NEW_TOOL,
  idempotent: true,
  responses: {
    201: {
      description: 'The tool with its secret',
      schema: TOOL_WITH_SECRET,
      headers: { 'cache-control': 'no-store' },
    },
    400: DOCUMENTED_ERROR.native(
      'The schema cannot be used (param says where), an agent is unknown, or the URL is blocked ' +
        '(blocked_address)',
    ),
    409: DOCUMENTED_ERROR.native(
      'The name is taken (name_taken), the workspace has 100 tools (tool_limit_reached), or a ' +
        'call with this Idempotency-Key runs or lost its answer',
    ),
  },
  handle: async (call) => {
    const { parameters, agentIds = [], ...body } = call.body as Static<typeof NEW_TOOL>;
    const draft = {
      name: body.name,
      description: body.description,
      parameters: JSON.stringify(parameters),
      url: body.url,
      agentIds,
    };
    // No signal is passed, so that creation and audit complete even if the client disconnects.
    const created = await tools.createTool(draft, { ...optionsOf(call), signal: undefined });
    const { workspaceId, keyId: actor } = call.principal!;
    const subject = created.tool!.id;
    await recordAudit([{ workspaceId, action: 'tool.created', subject, actor }]);
    return toToolSecretReply(201, created);
  },
});

export const toolsRoute = (tools: Tools): Route => ({
  ...shared,
  id: 'listTools',
  method: 'get',
  summary: "List the workspace's tools, newest first; never their secrets",
  scopes: ['tools', 'tools:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The tools', schema: TOOLS },
  },
  handle: async (call) => {
    const page = await tools.listTools(readPage(call, TOOL_ID.is), optionsOf(call));
    return reply(200, TOOLS, { ...page, tools: page.tools.map(withParameters) });
  },
});
