import type { ToolCall } from '@witan/dialects';
import type { RunTool, ToolRequest, TurnTool } from '../src/tool/tool.ts';

export const toolOf = (name: string): TurnTool => ({
  id: `tol_${name}`,
  name,
  description: `Looks up ${name}`,
  parameters: '{"type":"object"}',
});

export const TOOLS = [toolOf('rate'), toolOf('stock')];

export const ask = (name: string, text = '{}', id = `call_${name}`): ToolCall => ({
  id,
  name,
  arguments: text,
});

export const createFakeTool = (
  answer: (request: ToolRequest) => unknown = ({ name }) => ({ of: name }),
) => {
  const requests: ToolRequest[] = [];
  const runTool: RunTool = async (tool, request) => {
    requests.push(request);
    const result = answer(request);
    const error = result instanceof Error ? result.message : null;
    return {
      ...request,
      toolId: tool.id,
      status: error === null ? 'ok' : 'error',
      httpStatus: 200,
      durationMs: 5,
      result: error === null ? JSON.stringify(result) : null,
      error,
    };
  };
  return { runTool, requests };
};
