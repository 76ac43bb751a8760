import type { RequiredScope } from '../auth/scope.ts';
import type { JsonSchema } from '../http/route.ts';
import type { McpCall, McpResult } from './mcp-method.ts';

export type ToolAnnotations = {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  /** True if a repetition with the same idempotency key has no further effect. */
  idempotentHint?: boolean;
  openWorldHint?: boolean;
};

export type Tool = {
  name: string;
  title: string;
  description: string;
  scopes: readonly RequiredScope[];
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: ToolAnnotations;
  run: (toolCall: ToolCall) => Promise<McpResult>;
};

export type ToolCall = McpCall & {
  args: Readonly<Record<string, unknown>>;
  /** Returns the JSON text of arguments with the digits that the client wrote, without `names`. */
  argsTextWithout: (names: readonly string[]) => string;
  idempotencyKey: string | undefined;
};

export type ToolDescription = Pick<
  Tool,
  'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'
>;

/** Returns a tool as `tools/list` describes it. */
export const describeTool = ({ scopes: _scopes, run: _run, ...tool }: Tool): ToolDescription =>
  tool;
