import { unavailable } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { McpTarget } from './mcp-target.ts';
import { describeFailure, readResult, signCall } from './post-tool.ts';
import type { PostTool, ToolFailure } from './post-tool.ts';
import { ARGUMENTS_LENGTH_MAX, readArguments } from './read-arguments.ts';
import type { SchemaValidator } from './tool.ts';
import type { FindToolTarget, RunTool, ToolRequest, ToolRun, ToolTarget } from './tool.ts';
import { noSuchTool } from './tools.ts';

export type RunToolDeps = {
  findTarget: FindToolTarget;
  validator: Pick<SchemaValidator, 'findViolations'>;
  post: PostTool;
  /** Calls a tool of an MCP server. */
  runMcp: RunMcpTool;
  now: () => number;
  /**
   * Called with the outcome of every request to a tool that was attempted and not aborted. `call`
   * contains neither arguments nor results. Must not reject, because the tool has run.
   */
  onCalled: (call: CalledTool) => void | Promise<void>;
};

export type CalledTool = Pick<
  ToolRun,
  'toolId' | 'name' | 'status' | 'httpStatus' | 'durationMs'
> & {
  workspaceId: string;
  failure: ToolFailure | 'no_json' | 'mcp_error' | null;
  /** MCP server that the tool belongs to. */
  mcpServerId?: string;
};

/** Outcome of a call of a tool of an MCP server, or the reason why nothing was sent. */
export type McpRun =
  | { unsent: string }
  | (Pick<ToolRun, 'status' | 'httpStatus' | 'result' | 'error'> & {
      failure: CalledTool['failure'];
    });

/** Calls a tool of an MCP server with validated arguments. */
export type RunMcpTool = (
  target: { toolId: string; mcpServer: McpTarget },
  args: object,
  caller: { workspaceId: string; signal: AbortSignal },
) => Promise<McpRun>;

type Caller = Parameters<RunTool>[2];

export const createRunTool =
  (deps: RunToolDeps): RunTool =>
  async ({ id: toolId, agentId, agentName }, request, caller) => {
    const target = await deps.findTarget(caller.workspaceId, { toolId, agentId });
    caller.signal.throwIfAborted();
    if (!target?.isActive) return toUnsentRun(toolId, request, 'The tool is not there any more.');
    if (target.secret === undefined) {
      return toUnsentRun(toolId, request, 'The tool cannot be called until its secret is rotated.');
    }
    return callTool({ ...target, secret: target.secret, agentName }, request, caller, deps);
  };

/** Calls a tool with the arguments `text`, without a model and even if the tool is not active. */
export type TestTool = (toolId: string, text: string, caller: Caller) => Promise<ToolRun>;

export const createTestTool =
  (deps: RunToolDeps): TestTool =>
  async (toolId, text, caller) => {
    const target = await deps.findTarget(caller.workspaceId, { toolId });
    if (!target) throw noSuchTool();
    if (target.secret === undefined) throw encryptedWithOtherKey();
    const request = { id: '', name: target.name, arguments: text, round: 0 };
    return callTool({ ...target, secret: target.secret }, request, caller, deps);
  };

const encryptedWithOtherKey = (): ServiceError =>
  unavailable(
    "The tool's secret cannot be opened with this WITAN_SECRETS_KEY: restore the one that it " +
      'was sealed with, or rotate the secret.',
  );

const callTool = async (
  target: ToolTarget & { secret: string; agentName?: string },
  request: ToolRequest,
  { workspaceId, signal }: Caller,
  deps: RunToolDeps,
): Promise<ToolRun> => {
  const { validator, post, now, onCalled } = deps;
  const { id: toolId, name, url, parameters, secret, agentName, mcpServer } = target;
  const read = await readArguments(request.arguments, parameters, {
    validator,
    workspaceId,
    signal,
  });
  if ('error' in read) return toUnsentRun(toolId, request, read.error);
  signal.throwIfAborted();
  if (mcpServer) {
    const mcpTarget = { toolId, mcpServer };
    return await callMcpTool(mcpTarget, read.value, request, { workspaceId, signal }, deps);
  }
  const startedAt = now();
  const signed = signCall(name, read.value, secret);
  const response = await post({ url, toolId, agentName, signal, ...signed });
  const endFields = { httpStatus: response.status, durationMs: roundMs(now() - startedAt) };
  const result = 'body' in response ? readResult(response.body) : undefined;
  const failure =
    'failure' in response ? response.failure : result === undefined ? 'no_json' : null;
  const status = toStatus(failure);
  await onCalled({ workspaceId, toolId, name, status, failure, ...endFields });
  const error =
    failure === 'no_json'
      ? `The tool answered with HTTP status ${response.status}, but not with JSON.`
      : failure && describeFailure(failure, response.status);
  return { ...toRunHead(toolId, request), ...endFields, status, result: result ?? null, error };
};

const callMcpTool = async (
  target: Parameters<RunMcpTool>[0],
  args: object,
  request: ToolRequest,
  caller: Caller,
  { runMcp, now, onCalled }: RunToolDeps,
): Promise<ToolRun> => {
  const { toolId, mcpServer } = target;
  const startedAt = now();
  const ended = await runMcp(target, args, caller);
  if ('unsent' in ended) return toUnsentRun(toolId, request, ended.unsent);
  const { failure, ...outcome } = ended;
  const run = { ...toRunHead(toolId, request), ...outcome, durationMs: roundMs(now() - startedAt) };
  const { name, status, httpStatus, durationMs } = run;
  const called = { toolId, name, status, httpStatus, durationMs, failure };
  const { workspaceId } = caller;
  await onCalled({ workspaceId, ...called, mcpServerId: mcpServer.serverId });
  return run;
};

const toStatus = (failure: CalledTool['failure']): ToolRun['status'] => {
  if (failure === null) return 'ok';
  return failure === 'timeout' ? 'timeout' : 'error';
};

const toUnsentRun = (toolId: string, request: ToolRequest, error: string): ToolRun => ({
  ...toRunHead(toolId, request),
  status: 'error',
  httpStatus: null,
  durationMs: 0,
  result: null,
  error,
});

const toRunHead = (toolId: string, { id, name, arguments: text, round }: ToolRequest) => ({
  id,
  toolId,
  name,
  arguments: text.slice(0, ARGUMENTS_LENGTH_MAX).toWellFormed(),
  round,
});

const roundMs = (ms: number): number => Math.round(ms * 10) / 10;
