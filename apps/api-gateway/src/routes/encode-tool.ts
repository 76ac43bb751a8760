import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { AgentTool, ToolRun } from '@witan/contracts';
import type { Reply } from '../http/route.ts';
import { encodeToolRun } from './encode-tool-run.ts';

/** No cache on the way may keep an answer that holds a secret. */
const NO_STORE = { 'cache-control': 'no-store' } as const;

/** A tool as lists show it. */
export const encodeTool = (tool: AgentTool) => ({
  id: tool.id,
  name: tool.name,
  description: tool.description,
  parameters: JSON.parse(tool.parameters) as object,
  url: tool.url,
  isActive: tool.isActive,
  createdAt: timestampDate(tool.createdAt!).toISOString(),
});

/** A tool as it is read by itself (Seed 4.7). */
export const encodeLinkedTool = (tool: AgentTool) => ({
  ...encodeTool(tool),
  agents: tool.agents.map(({ id, name }) => ({ id, name })),
});

/** The one answer that holds a secret, beside the tool. */
export const toToolSecretReply = (
  status: 200 | 201,
  { tool, secret }: { tool?: AgentTool; secret: string },
): Reply => ({ status, json: { tool: encodeTool(tool!), secret }, headers: NO_STORE });

/** How a test went. */
export const encodeToolTest = (run: ToolRun) => {
  const { status, httpStatus, durationMs, result, error } = encodeToolRun(run);
  return { success: status === 'ok', status, httpStatus, durationMs, result, error };
};

const TOOL_ID = /^tol_[0-9A-Za-z]{1,64}$/;

/** True for what may be the id of a tool. */
export const isToolId = (text: string): boolean => TOOL_ID.test(text);

/** What cannot be the id of a tool is one that nobody has. `param` names the field it was in. */
export const readToolId = (id: string, param?: string): string => {
  if (isToolId(id)) return id;
  throw notFound('There is no such tool in this workspace.', param ? { param } : undefined);
};
