import type { McpToolState, ToolDefinition } from '../tool/mcp-target.ts';

/** A tool as an MCP server lists it. */
export type ListedTool = ToolDefinition & { name: string };

export type McpTool = {
  id: string;
  /** Name under which agents call the tool: `<server>__<tool>`. */
  name: string;
  /** Name of the tool at its server. */
  mcpName: string;
  state: McpToolState;
  /** Undefined on a tool that was never accepted. */
  accepted: ToolDefinition | undefined;
  /** Undefined on a tool that the server lists no more. */
  listed: ToolDefinition | undefined;
  /** Reason why an unusable tool is not offered; empty on others. */
  problem: string;
};

export type McpServer = {
  id: string;
  name: string;
  url: string;
  headerNames: readonly string[];
  protocolVersion: string;
  snapshotHash: string;
  refreshedAt: Date;
  createdAt: Date;
};

export type McpServerWithTools = McpServer & { tools: readonly McpTool[] };

/** What is needed to call a server. */
export type McpEndpoint = {
  serverId: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Revision that the server spoke last; empty if it was never called. */
  protocolVersion: string;
};

/** Names of tools that differ from those listed before, as agents call them. */
export type ServerChange = {
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
};

/** New state of a server after its tools were listed or accepted. */
export type ServerPlan = {
  server: Pick<McpServer, 'protocolVersion' | 'snapshotHash' | 'refreshedAt'>;
  /** All tools of the server; those that are missing are deleted. */
  tools: readonly McpTool[];
  /** Published as `mcp.server.changed` if present. */
  change?: ServerChange;
};

/** Names of the tools of a workspace that do not belong to the server. */
export type TakenNames = ReadonlySet<string>;

type ServerLimits = { serversMax: number; toolsMax: number };

export type McpServerStore = {
  /**
   * Inserts a server with the tools that `toTools` returns, and resolves with both. Rejects with
   * CONFLICT `name_taken`, `mcp_server_limit_reached` or `tool_limit_reached`.
   */
  insert: (
    workspaceId: string,
    server: McpServer & { headers: Readonly<Record<string, string>> },
    tools: { toTools: (taken: TakenNames) => readonly McpTool[] } & ServerLimits,
  ) => Promise<McpServerWithTools>;
  /** Lists servers, newest first; `after` is the last id of the previous page. */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<McpServerWithTools[]>;
  find: (workspaceId: string, id: string) => Promise<McpServerWithTools | undefined>;
  delete: (workspaceId: string, id: string) => Promise<boolean>;
  /**
   * Locks a server, and stores the plan that `toPlan` returns for its state with its event in one
   * transaction. Resolves with undefined if there is no such server. Rejects with CONFLICT
   * `tool_limit_reached`, and with an error that `toPlan` throws.
   */
  update: (
    workspaceId: string,
    id: string,
    change: {
      toPlan: (current: McpServerWithTools, taken: TakenNames) => ServerPlan;
      toolsMax: number;
    },
  ) => Promise<McpServerWithTools | undefined>;
};

/** Finds what is needed to call a server; undefined if it is gone or its headers are unreadable. */
export type FindMcpEndpoint = (
  workspaceId: string,
  serverId: string,
) => Promise<(McpEndpoint & { refreshedAt: Date }) | undefined>;

/** Failure of a call that the server or the way to it caused, as a sentence for the model. */
export type McpFailure = { failure: 'error' | 'timeout'; status: number | null; message: string };

export type McpClient = {
  /** Lists all tools of a server. */
  listTools: (
    endpoint: McpEndpoint,
    caller: McpCaller,
  ) => Promise<{ protocolVersion: string; tools: readonly unknown[] } | McpFailure>;
  /** Calls a tool; `result` is what the server answered, unchecked. */
  callTool: (
    endpoint: McpEndpoint,
    call: McpToolCall,
    caller: McpCaller,
  ) => Promise<{ status: number; result: Readonly<Record<string, unknown>> } | McpFailure>;
};

export type McpCaller = { signal: AbortSignal };

export type McpToolCall = {
  name: string;
  args: object;
  /** Headers that mirror arguments, as the schema of the tool demands. */
  paramHeaders: Readonly<Record<string, string>>;
};
