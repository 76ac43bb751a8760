import { isServiceError } from '@witan/contracts';
import type { McpRun, RunMcpTool } from '../tool/run-tool.ts';
import type { FindMcpEndpoint, McpCaller, McpClient, McpFailure } from './mcp-server.ts';
import { toParamHeaders } from './param-headers.ts';

export type McpToolDeps = {
  findEndpoint: FindMcpEndpoint;
  client: Pick<McpClient, 'callTool'>;
  /** Lists the tools of a server again and stores differences; joins a listing that runs. */
  refresh: (serverId: string, caller: Caller) => Promise<unknown>;
  clock: () => Date;
  /** Called with the cause of a listing that failed for an internal reason. */
  onFailure: (error: unknown) => void;
};

type Caller = McpCaller & { workspaceId: string };

/**
 * Age of a list of tools, in milliseconds, after which it is read again before a call, so that a
 * server cannot change what it lists unnoticed for longer.
 */
export const LIST_AGE_MAX_MS = 15 * 60_000;
const ERROR_LENGTH_MAX = 2_000;

/**
 * Returns a function that calls a tool of an MCP server. An old list of tools is read again first,
 * once for all calls that wait for it; the endpoint and the tool are those after that. A tool whose
 * definition is not the accepted one is not called. Failures of the server, and to read its list,
 * are results; rejects only with the signal's reason or an error of this service.
 */
export const createRunMcpTool =
  (deps: McpToolDeps): RunMcpTool =>
  async (serverId, prepare, caller) => {
    const findEndpoint = () => deps.findEndpoint(caller.workspaceId, serverId);
    let endpoint = await findEndpoint();
    const isRefreshed = endpoint !== undefined && isOld(endpoint, deps);
    if (isRefreshed) {
      const problem = await refreshList(serverId, caller, deps);
      if (problem !== undefined) return { unsent: problem };
      endpoint = await findEndpoint();
    }
    if (!endpoint) return { unsent: 'The headers of the MCP server cannot be read.' };
    const prepared = await prepare({ isRefreshed });
    if ('unsent' in prepared) return prepared;
    const { mcpServer, args } = prepared;
    if (mcpServer.state !== 'accepted') return { unsent: NOT_ACCEPTED };
    const paramHeaders = toParamHeaders(args, mcpServer.headerParams);
    const call = { name: mcpServer.mcpName, args, paramHeaders };
    const answered = await deps.client.callTool(endpoint, call, caller);
    caller.signal.throwIfAborted();
    return 'failure' in answered ? toFailedRun(answered) : toRun(answered);
  };

const isOld = ({ refreshedAt }: { refreshedAt: Date }, { clock }: Pick<McpToolDeps, 'clock'>) =>
  clock().getTime() - refreshedAt.getTime() > LIST_AGE_MAX_MS;

/**
 * Lists the tools of a server again; returns the reason if that fails. No turn ends for it, because
 * nothing was sent and the model can go on.
 */
const refreshList = async (
  serverId: string,
  caller: Caller,
  { refresh, onFailure }: Pick<McpToolDeps, 'refresh' | 'onFailure'>,
): Promise<string | undefined> => {
  try {
    await refresh(serverId, caller);
    return undefined;
  } catch (error) {
    caller.signal.throwIfAborted();
    if (isServiceError(error) && error.reason !== 'INTERNAL') return error.message;
    onFailure(error);
    return 'The tools of the MCP server could not be read again.';
  }
};

const NOT_ACCEPTED =
  'The tool is not as it was when it was accepted; it cannot be called until it is accepted.';

const toFailedRun = ({ failure, status, message }: McpFailure): McpRun => ({
  status: failure,
  httpStatus: status,
  result: null,
  error: message,
  failure: failure === 'timeout' ? 'timeout' : 'mcp_error',
});

type Answer = { status: number; result: Readonly<Record<string, unknown>> };

const toRun = ({ status: httpStatus, result }: Answer): McpRun => {
  const { resultType = 'complete', isError, structuredContent, content } = result;
  const failed = (error: string): McpRun => {
    const cut = error.slice(0, ERROR_LENGTH_MAX).toWellFormed();
    return { status: 'error', httpStatus, result: null, error: cut, failure: 'mcp_error' };
  };
  if (resultType !== 'complete') return failed('The tool asks for input, which an agent has not.');
  const text = toText(content);
  if (isError === true) return failed(`The tool reported an error: ${JSON.stringify(text)}`);
  const json = JSON.stringify(structuredContent ?? text).toWellFormed();
  return { status: 'ok', httpStatus, result: json, error: null, failure: null };
};

/** Returns the texts of a result; of other content only the kind. */
const toText = (content: unknown): string =>
  (Array.isArray(content) ? content : [])
    .map((block: unknown) => {
      const { type, text, resource } = (block ?? {}) as Record<string, unknown>;
      if (type === 'text' && typeof text === 'string') return text;
      const { text: embedded } = (resource ?? {}) as Record<string, unknown>;
      if (typeof embedded === 'string') return embedded;
      return typeof type === 'string' ? `[${type}]` : '[unknown]';
    })
    .join('\n');
