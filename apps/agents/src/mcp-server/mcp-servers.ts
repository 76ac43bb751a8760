import { conflict, invalidRequest, notFound, readPage, unavailable } from '@witan/contracts';
import type { Page, PageRequest, ServiceError } from '@witan/contracts';
import type { SchemaValidator } from '../tool/tool.ts';
import { TOOLS_MAX } from '../tool/tools.ts';
import { checkHeaders } from './check-headers.ts';
import type {
  McpClient,
  McpEndpoint,
  FindMcpEndpoint,
  McpServerStore,
  McpServerWithTools,
  TakenNames,
} from './mcp-server.ts';
import {
  hasChange,
  hashSnapshot,
  planAcceptance,
  planNewTools,
  planSnapshot,
} from './plan-snapshot.ts';
import { readToolList } from './read-tool-list.ts';

export type McpServersDeps = {
  store: McpServerStore;
  findEndpoint: FindMcpEndpoint;
  client: Pick<McpClient, 'listTools'>;
  validator: Pick<SchemaValidator, 'findError'>;
  /** Returns the normalized URL. Rejects with INVALID_REQUEST, for example `blocked_address`. */
  checkUrl: (url: string) => Promise<string>;
  ids: { newId: (prefix: string) => string; clock: () => Date };
};

type Draft = Pick<McpEndpoint, 'url' | 'headers'> & { name: string };

/** A workspace and the signal of its call. */
type Caller = { workspaceId: string; signal: AbortSignal };

export type McpServers = ReturnType<typeof createMcpServers>;

const SERVERS_MAX = 20;
/** Pattern of server names: the beginning of the names of functions, without the separator. */
const NAME = /^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/;
const NAME_LENGTH_MAX = 32;

export const createMcpServers = (deps: McpServersDeps) => ({
  /**
   * Registers a server and accepts the tools that it lists. Rejects with INVALID_REQUEST for an
   * invalid name, URL or header, and with `mcp_server_failed` if the server does not list its
   * tools; with CONFLICT as `McpServerStore.insert`; with the signal's reason while tools are read.
   */
  create: (draft: Draft, caller: Caller): Promise<McpServerWithTools> =>
    create(draft, caller, deps),
  list: (workspaceId: string, page: PageRequest): Promise<Page<McpServerWithTools>> =>
    readPage(page, (query) => deps.store.list(workspaceId, query)),
  get: async (workspaceId: string, id: string): Promise<McpServerWithTools> =>
    (await deps.store.find(workspaceId, id)) ?? throwNotFound(),
  remove: async (workspaceId: string, id: string): Promise<void> => {
    if (!(await deps.store.delete(workspaceId, id))) throwNotFound();
  },
  /** Lists the tools of a server again. Differences are stored, and offered once accepted. */
  refresh: (id: string, caller: Caller): Promise<McpServerWithTools> => refresh(id, caller, deps),
  /** Accepts the tools of a snapshot. Rejects with CONFLICT `snapshot_changed` for another one. */
  accept: async (
    workspaceId: string,
    { id, snapshotHash }: { id: string; snapshotHash: string },
  ): Promise<McpServerWithTools> => {
    const toPlan = (current: McpServerWithTools) => {
      if (current.snapshotHash !== snapshotHash) throw snapshotChanged();
      return { server: current, tools: planAcceptance(current.tools) };
    };
    const change = { toPlan, toolsMax: TOOLS_MAX };
    return (await deps.store.update(workspaceId, id, change)) ?? throwNotFound();
  },
});

const create = async (
  { name, url: rawUrl, headers }: Draft,
  caller: Caller,
  { store, checkUrl, ids: { newId, clock }, ...deps }: McpServersDeps,
): Promise<McpServerWithTools> => {
  if (!NAME.test(name) || name.length > NAME_LENGTH_MAX) throw invalidName();
  checkHeaders(headers);
  const url = await checkUrl(rawUrl);
  const id = newId('mcs');
  const endpoint = { serverId: id, url, headers, protocolVersion: '' };
  const { protocolVersion, listed } = await listTools(endpoint, caller, deps);
  // Nothing is stored for a caller that has left.
  caller.signal.throwIfAborted();
  const now = clock();
  const server = {
    id,
    name,
    url,
    headerNames: Object.keys(headers),
    protocolVersion,
    snapshotHash: hashSnapshot(listed),
    refreshedAt: now,
    createdAt: now,
  };
  return await store.insert(
    caller.workspaceId,
    { ...server, headers },
    {
      toTools: (taken) => planNewTools(listed, { serverName: name, taken, newId }),
      serversMax: SERVERS_MAX,
      toolsMax: TOOLS_MAX,
    },
  );
};

const refresh = async (
  id: string,
  caller: Caller,
  { store, findEndpoint, ids: { newId, clock }, ...deps }: McpServersDeps,
): Promise<McpServerWithTools> => {
  const { workspaceId } = caller;
  const { name } = (await store.find(workspaceId, id)) ?? throwNotFound();
  const endpoint = await findEndpoint(workspaceId, id);
  if (!endpoint) throw unreadableHeaders();
  const { protocolVersion, listed } = await listTools(endpoint, caller, deps);
  const toPlan = ({ tools: current }: McpServerWithTools, taken: TakenNames) => {
    const { tools, change } = planSnapshot(current, listed, { serverName: name, taken, newId });
    const server = { protocolVersion, snapshotHash: hashSnapshot(listed), refreshedAt: clock() };
    return { server, tools, ...(hasChange(change) ? { change } : {}) };
  };
  const change = { toPlan, toolsMax: TOOLS_MAX };
  return (await store.update(workspaceId, id, change)) ?? throwNotFound();
};

const listTools = async (
  endpoint: McpEndpoint,
  { workspaceId, signal }: Caller,
  { client, validator }: Pick<McpServersDeps, 'client' | 'validator'>,
) => {
  const answered = await client.listTools(endpoint, { signal });
  if ('failure' in answered) {
    throw invalidRequest(answered.message, { code: 'mcp_server_failed', param: 'url' });
  }
  const { protocolVersion, tools } = answered;
  const listed = await readToolList(tools, { validator, workspaceId, signal });
  return { protocolVersion, listed };
};

const throwNotFound = (): never => {
  throw notFound('There is no such MCP server in this workspace.');
};

const invalidName = (): ServiceError => {
  const message =
    `name must be 1 to ${NAME_LENGTH_MAX} letters and digits of ASCII, a letter first, with ` +
    'single underscores between them.';
  return invalidRequest(message, { param: 'name' });
};

const unreadableHeaders = (): ServiceError =>
  unavailable(
    'The headers of this server cannot be decrypted with this WITAN_SECRETS_KEY: restore the ' +
      'key, or register the server again.',
  );

const snapshotChanged = (): ServiceError =>
  conflict('The server lists other tools than those that were shown; look at them again.', {
    code: 'snapshot_changed',
  });
