import { invalidRequest } from '@witan/contracts';
import type { McpTarget } from './mcp-target.ts';

export type Tool = {
  id: string;
  /** Name under which a model calls the tool, unique in the workspace. */
  name: string;
  description: string;
  parameters: string;
  url: string;
  isActive: boolean;
  createdAt: Date;
  /** MCP server that defines the tool; absent or null on an endpoint of its own. */
  mcpServerId?: string | null;
};

export type LinkedAgent = { id: string; name: string };

export type LinkedTool = Tool & { agents: readonly LinkedAgent[] };

export type TurnTool = Pick<Tool, 'id' | 'name' | 'description' | 'parameters'>;

/** Returns all tools linked to the agent, including inactive ones, sorted by name. */
export type FindLinkedTools = (
  workspaceId: string,
  agentId: string,
) => Promise<(TurnTool & Pick<Tool, 'isActive'>)[]>;

/** Tool call as the model requested it; `arguments` is usually JSON, but may be any text. */
export type ToolRequest = {
  id: string;
  name: string;
  arguments: string;
  /** Round of tool calls in the chat turn, from 1; 0 in a test of the tool. */
  round: number;
};

export type ToolRun = ToolRequest & {
  toolId: string;
  status: 'ok' | 'error' | 'timeout';
  httpStatus: number | null;
  /**
   * Time from the start of the request to the end of the response, in milliseconds; 0 if none was
   * attempted.
   */
  durationMs: number;
  /**
   * JSON text of the response with numbers preserved exactly; null on error. It is not parsed,
   * because a parsed response of empty objects takes twenty times the memory.
   */
  result: string | null;
  /** Description of the error for the model and the caller; null on success. */
  error: string | null;
};

/**
 * Calls a tool as it is registered and linked at that time. Errors of the model or the tool are
 * returned as results; rejects with the signal's reason or with an error of the service itself.
 */
export type RunTool = (
  tool: Pick<TurnTool, 'id'> & { agentId: string; agentName: string },
  request: ToolRequest,
  caller: { workspaceId: string; signal: AbortSignal },
) => Promise<ToolRun>;

export type ToolChange = Partial<
  Pick<Tool, 'name' | 'description' | 'parameters' | 'url' | 'isActive'>
>;

export type ToolStore = {
  /**
   * Inserts a tool. Rejects with CONFLICT `name_taken`, or with `tool_limit_reached` if the
   * workspace already has `max` tools, and with INVALID_REQUEST for agents that do not exist.
   */
  insert: (
    workspaceId: string,
    tool: Tool & { secret: string },
    links: { agentIds: readonly string[]; max: number },
  ) => Promise<LinkedTool>;
  /** Lists tools, newest first; `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Tool[]>;
  find: (workspaceId: string, id: string) => Promise<LinkedTool | undefined>;
  update: (
    workspaceId: string,
    id: string,
    change: ToolChange & { secret?: string },
  ) => Promise<LinkedTool | undefined>;
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

/**
 * Links tools to agents. `link` and `unlink` are idempotent and reject with NOT_FOUND for an agent
 * or tool that does not exist.
 */
export type ToolLinkStore = {
  link: (workspaceId: string, toolLink: { agentId: string; toolId: string }) => Promise<void>;
  unlink: (workspaceId: string, toolLink: { agentId: string; toolId: string }) => Promise<void>;
  list: (
    workspaceId: string,
    agentId: string,
    page: { limit: number; after?: string },
  ) => Promise<Tool[]>;
  findLinked: FindLinkedTools;
};

/**
 * Tool to call; `secret` is undefined if it cannot be decrypted, for example because it was
 * encrypted with another key.
 */
export type ToolTarget = Tool & {
  secret: string | undefined;
  /** Set on a tool of an MCP server, which is called by its protocol. */
  mcpServer?: McpTarget | undefined;
};

/**
 * Finds a tool at the time of the call, so that changes apply at once. With `agentId`, only tools
 * linked to that agent are found.
 */
export type FindToolTarget = (
  workspaceId: string,
  wanted: { toolId: string; agentId?: string },
) => Promise<ToolTarget | undefined>;

/**
 * Tools to offer in a turn: none unless `areOffered`; empty `ids` select all active tools linked to
 * the agent.
 */
export type ToolSelection = { areOffered: boolean; ids: readonly string[] };

export const chooseTools = (
  linked: Awaited<ReturnType<FindLinkedTools>>,
  { areOffered, ids }: ToolSelection,
): TurnTool[] => {
  const unknown = ids.findIndex((toolId) => !linked.some(({ id }) => id === toolId));
  if (unknown >= 0) {
    const param = `tools.toolIds[${unknown}]`;
    throw invalidRequest(`${param} is not a tool that is linked to this agent.`, { param });
  }
  if (!areOffered) return [];
  return linked.filter(({ id, isActive }) => isActive && (ids.length === 0 || ids.includes(id)));
};

/**
 * Error in a schema or in arguments; `path` is like `properties.city.type` and empty for the root.
 */
export type SchemaError = { path: string; message: string };

/**
 * Workspace for which a schema task runs. Tasks run round-robin among workspaces; aborting the
 * signal removes the task from the queue.
 */
export type SchemaCaller = { workspaceId: string; signal?: AbortSignal };

/**
 * Compiles customers' schemas and validates models' arguments. A schema or arguments can be crafted
 * to run forever, so every task has a time limit. Methods reject with UNAVAILABLE if the workspace
 * has too many queued tasks or the check crashes, or with the signal's reason.
 */
export type SchemaValidator = {
  findError: (schema: string, schemaCaller: SchemaCaller) => Promise<SchemaError | undefined>;
  /**
   * Returns how the arguments `text` violate the schema, or `undecided` if the check could not be
   * completed, for example because it took too much time or memory.
   */
  findViolations: (
    task: { schema: string; text: string },
    schemaCaller: SchemaCaller,
  ) => Promise<readonly string[] | 'undecided'>;
};
