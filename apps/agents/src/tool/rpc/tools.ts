import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AgentToolSchema, ToolRunSchema } from '@witan/contracts';
import type { ToolService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { TestTool } from '../run-tool.ts';
import type { LinkedTool, Tool, ToolRun } from '../tool.ts';
import type { Tools } from '../tools.ts';

export const createToolHandlers = (
  tools: Tools,
  testTool: TestTool,
): Handlers<typeof ToolService> => ({
  createTool: async ({ name, description, parameters, url, agentIds }, { workspaceId }) => {
    const draft = { name, description, parameters, url, agentIds };
    const { secret, ...tool } = await tools.create(workspaceId, draft);
    return { tool: toTool(tool), secret };
  },
  listTools: async (page, { workspaceId }) => {
    const { items, nextCursor } = await tools.list(workspaceId, page);
    return { tools: items.map(toTool), nextCursor };
  },
  getTool: async ({ id }, { workspaceId }) => ({ tool: toTool(await tools.get(workspaceId, id)) }),
  updateTool: async ({ id, ...request }, { workspaceId }) => {
    const { name, description, parameters, url, isActive } = request;
    const change = { name, description, parameters, url, isActive };
    return { tool: toTool(await tools.update(workspaceId, id, change)) };
  },
  deleteTool: async ({ id }, { workspaceId }) => {
    await tools.remove(workspaceId, id);
    return {};
  },
  rotateToolSecret: async ({ id }, { workspaceId }) => {
    const { secret, ...tool } = await tools.rotateSecret(workspaceId, id);
    return { tool: toTool(tool), secret };
  },
  testTool: async ({ id, arguments: text }, { workspaceId, signal }) => ({
    run: toToolRun(await testTool(id, text, { workspaceId, signal })),
  }),
  linkTool: async ({ agentId, toolId }, { workspaceId }) => {
    await tools.link(workspaceId, { agentId, toolId });
    return {};
  },
  unlinkTool: async ({ agentId, toolId }, { workspaceId }) => {
    await tools.unlink(workspaceId, { agentId, toolId });
    return {};
  },
  listAgentTools: async ({ agentId, ...page }, { workspaceId }) => {
    const { items, nextCursor } = await tools.listOfAgent(workspaceId, agentId, page);
    return { tools: items.map(toTool), nextCursor };
  },
});

const toTool = ({
  createdAt,
  agents = [],
  mcpServerId,
  ...tool
}: Tool & Partial<Pick<LinkedTool, 'agents'>>): MessageInitShape<typeof AgentToolSchema> => ({
  ...tool,
  createdAt: timestampFromDate(createdAt),
  agents: [...agents],
  mcpServerId: mcpServerId ?? '',
});

export const toToolRun = (run: ToolRun): MessageInitShape<typeof ToolRunSchema> => {
  const { httpStatus, result, error, ...rest } = run;
  return {
    ...rest,
    ...(httpStatus === null ? {} : { httpStatus }),
    result: result ?? '',
    error: error ?? '',
  };
};
