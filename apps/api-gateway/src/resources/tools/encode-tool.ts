import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { AgentTool, ToolRun } from '@witan/contracts';
import type { Reply } from '../../http/route.ts';
import { encodeToolRun } from './encode-tool-run.ts';

// Forbids caches to store the response, because it contains a secret.
const NO_STORE = { 'cache-control': 'no-store' } as const;

export const encodeTool = (tool: AgentTool) => ({
  id: tool.id,
  name: tool.name,
  description: tool.description,
  parameters: JSON.parse(tool.parameters) as object,
  url: tool.url,
  isActive: tool.isActive,
  createdAt: timestampDate(tool.createdAt!).toISOString(),
});

export const encodeLinkedTool = (tool: AgentTool) => ({
  ...encodeTool(tool),
  agents: tool.agents.map(({ id, name }) => ({ id, name })),
});

export const toToolSecretReply = (
  status: 200 | 201,
  { tool, secret }: { tool?: AgentTool; secret: string },
): Reply => ({ status, json: { tool: encodeTool(tool!), secret }, headers: NO_STORE });

export const encodeToolTest = (run: ToolRun) => {
  const { status, httpStatus, durationMs, result, error } = encodeToolRun(run);
  return { success: status === 'ok', status, httpStatus, durationMs, result, error };
};

const TOOL_ID = /^tol_[0-9A-Za-z]{1,64}$/;

export const isToolId = (text: string): boolean => TOOL_ID.test(text);

export const readToolId = (id: string, param?: string): string => {
  if (isToolId(id)) return id;
  throw notFound('There is no such tool in this workspace.', param ? { param } : undefined);
};
