import type { AgentTool, ToolRun } from '@witan/contracts';
import { encodeAs } from '../../http/encode.ts';
import { NO_STORE } from '../../http/route.ts';
import type { Reply } from '../../http/route.ts';
import { encodeToolRun } from './encode-tool-run.ts';
import { TOOL_WITH_SECRET } from './tool-schema.ts';

export const withParameters = (tool: AgentTool | undefined) => ({
  ...tool!,
  parameters: JSON.parse(tool!.parameters) as object,
});

export const toToolSecretReply = (
  status: 200 | 201,
  { tool, secret }: { tool?: AgentTool; secret: string },
): Reply => ({
  status,
  json: encodeAs(TOOL_WITH_SECRET, { tool: withParameters(tool), secret }),
  headers: NO_STORE,
});

export const encodeToolTest = (run: ToolRun) => {
  const { status, httpStatus, durationMs, result, error } = encodeToolRun(run);
  return { success: status === 'ok', status, httpStatus, durationMs, result, error };
};
