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

/**
 * Calls a tool of an MCP server. `prepare` is called once, after the server's list of tools was
 * brought up to date; `isRefreshed` is set if that may have changed the tool.
 */
export type RunMcpTool = (
  serverId: string,
  prepare: (list: { isRefreshed: boolean }) => Promise<PreparedMcpCall>,
  caller: { workspaceId: string; signal: AbortSignal },
) => Promise<McpRun>;

/** A tool with validated arguments, or the reason why it is not called. */
type PreparedMcpCall = { unsent: string } | { mcpServer: McpTarget; args: object };

type Caller = Parameters<RunTool>[2];

export const createRunTool =
  (deps: RunToolDeps): RunTool =>
  async ({ id: toolId, agentId, agentName }, request, caller) => {
    const find: FindCallable = async () => {
      const target = await deps.findTarget(caller.workspaceId, { toolId, agentId });
      caller.signal.throwIfAborted();
      if (!target?.isActive) return { unsent: 'The tool is not there any more.' };
      const { secret } = target;
      if (secret === undefined) {
        return { unsent: 'The tool cannot be called until its secret is rotated.' };
      }
      return { ...target, secret, agentName };
    };
    const target = await find();
    if ('unsent' in target) return toUnsentRun(toolId, request, target.unsent);
    return await callTool(target, find, { request, caller }, deps);
  };

/** Calls a tool with the arguments `text`, without a model and even if the tool is not active. */
export type TestTool = (toolId: string, text: string, caller: Caller) => Promise<ToolRun>;

export const createTestTool =
  (deps: RunToolDeps): TestTool =>
  async (toolId, text, caller) => {
    const find = async (): Promise<CallableTool> => {
      const target = await deps.findTarget(caller.workspaceId, { toolId });
      if (!target) throw noSuchTool();
      const { secret } = target;
      if (secret === undefined) throw encryptedWithOtherKey();
      return { ...target, secret };
    };
    const target = await find();
    const request = { id: '', name: target.name, arguments: text, round: 0 };
    return await callTool(target, find, { request, caller }, deps);
  };

const encryptedWithOtherKey = (): ServiceError =>
  unavailable(
    "The tool's secret cannot be opened with this WITAN_SECRETS_KEY: restore the one that it " +
      'was sealed with, or rotate the secret.',
  );

type CallableTool = ToolTarget & { secret: string; agentName?: string };

/** Reads the tool as it is now; resolves with the reason if it cannot be called. */
type FindCallable = () => Promise<CallableTool | { unsent: string }>;

type ToolCall = { request: ToolRequest; caller: Caller };

const callTool = async (
  target: CallableTool,
  find: FindCallable,
  call: ToolCall,
  deps: RunToolDeps,
): Promise<ToolRun> => {
  const { mcpServer } = target;
  return mcpServer
    ? await callMcpTool({ ...target, mcpServer }, find, call, deps)
    : await callEndpoint(target, call, deps);
};

const callEndpoint = async (
  { id: toolId, name, url, parameters, secret, agentName }: CallableTool,
  { request, caller }: ToolCall,
  deps: RunToolDeps,
): Promise<ToolRun> => {
  const { post, now, onCalled } = deps;
  const { workspaceId, signal } = caller;
  const read = await readCallArguments(request, parameters, caller, deps);
  if ('error' in read) return toUnsentRun(toolId, request, read.error);
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

const readCallArguments = async (
  request: ToolRequest,
  parameters: string,
  { workspaceId, signal }: Caller,
  { validator }: Pick<RunToolDeps, 'validator'>,
) => {
  const options = { validator, workspaceId, signal };
  const read = await readArguments(request.arguments, parameters, options);
  signal.throwIfAborted();
  return read;
};

const callMcpTool = async (
  target: CallableTool & { mcpServer: McpTarget },
  find: FindCallable,
  { request, caller }: ToolCall,
  deps: RunToolDeps,
): Promise<ToolRun> => {
  const { runMcp, now, onCalled } = deps;
  const { id: toolId, mcpServer } = target;
  const { serverId } = mcpServer;
  const prepare = async ({ isRefreshed }: { isRefreshed: boolean }): Promise<PreparedMcpCall> => {
    const current = isRefreshed ? await find() : target;
    if ('unsent' in current) return current;
    const read = await readCallArguments(request, current.parameters, caller, deps);
    if ('error' in read) return { unsent: read.error };
    return { mcpServer: current.mcpServer ?? mcpServer, args: read.value };
  };
  const startedAt = now();
  const ended = await runMcp(serverId, prepare, caller);
  if ('unsent' in ended) return toUnsentRun(toolId, request, ended.unsent);
  const { failure, ...outcome } = ended;
  const run = { ...toRunHead(toolId, request), ...outcome, durationMs: roundMs(now() - startedAt) };
  const { name, status, httpStatus, durationMs } = run;
  const called = { toolId, name, status, httpStatus, durationMs, failure };
  await onCalled({ workspaceId: caller.workspaceId, ...called, mcpServerId: serverId });
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
