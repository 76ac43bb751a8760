/** An HTTPS endpoint of the customer that agents may call in a turn. */
export type Tool = {
  id: string;
  /** The function name for the model; unique in the workspace. */
  name: string;
  description: string;
  /** JSON text of the arguments' schema, shown to models. */
  parameters: string;
  /** Normalized and accepted by the target policy. */
  url: string;
  /** False: the tool is not offered and cannot be called. */
  isActive: boolean;
  createdAt: Date;
};

export type LinkedAgent = { id: string; name: string };

/** A tool and its agents, by name. */
export type LinkedTool = Tool & { agents: readonly LinkedAgent[] };

/** A tool as offered in a turn; `parameters` is the schema's text for the model. */
export type TurnTool = Pick<Tool, 'id' | 'name' | 'description' | 'parameters'>;

/** Returns all tools linked to the agent, inactive ones included, by name. */
export type FindLinkedTools = (
  workspaceId: string,
  agentId: string,
) => Promise<(TurnTool & Pick<Tool, 'isActive'>)[]>;

/** A tool call requested by a model; `arguments` is verbatim and should be JSON text. */
export type ToolRequest = {
  /** The model's id of the call. */
  id: string;
  name: string;
  arguments: string;
  /** From 1, per answer of a turn that requests tools; 0 in a test. */
  round: number;
};

/** The result of a tool call. */
export type ToolRun = ToolRequest & {
  toolId: string;
  status: 'ok' | 'error' | 'timeout';
  /** Null if there was no response or nothing was sent. */
  httpStatus: number | null;
  /** From sending to the end of the response, in milliseconds; 0 if nothing was sent. */
  durationMs: number;
  /**
   * The tool's JSON with numbers preserved; null on error. Stored as text: parsed, a response of
   * empty objects takes twenty times the memory.
   */
  result: string | null;
  /** The error, described for the model and the caller; null: none. */
  error: string | null;
};

/**
 * Calls a tool by its current registration and links. Errors of the model or the tool are results;
 * rejects with the signal's reason, and for failures of the service itself.
 */
export type RunTool = (
  tool: Pick<TurnTool, 'id'> & { agentId: string },
  request: ToolRequest,
  caller: { workspaceId: string; signal: AbortSignal },
) => Promise<ToolRun>;

/** Absent members stay unchanged. */
export type ToolChange = Partial<
  Pick<Tool, 'name' | 'description' | 'parameters' | 'url' | 'isActive'>
>;

/** Stores the tools of a workspace; tools of other workspaces are not found. */
export type ToolStore = {
  /**
   * Rejects with CONFLICT `name_taken`, or `tool_limit_reached` beyond `max`, and with
   * INVALID_REQUEST naming agents that do not exist.
   */
  insert: (
    workspaceId: string,
    tool: Tool & { secret: string },
    links: { agentIds: readonly string[]; max: number },
  ) => Promise<LinkedTool>;
  /** Newest first; `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Tool[]>;
  find: (workspaceId: string, id: string) => Promise<LinkedTool | undefined>;
  /** Rejects with CONFLICT `name_taken`. */
  update: (workspaceId: string, id: string, change: ToolChange) => Promise<LinkedTool | undefined>;
  /** Deletes the tool with its links and secret; false if it does not exist. */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

/** Stores which agent has which tool. Rejects with NOT_FOUND for a missing one. */
export type ToolLinkStore = {
  /** Idempotent. */
  link: (workspaceId: string, ends: { agentId: string; toolId: string }) => Promise<void>;
  /** Idempotent. */
  unlink: (workspaceId: string, ends: { agentId: string; toolId: string }) => Promise<void>;
  /** Like `ToolStore.list`, for one agent. */
  list: (
    workspaceId: string,
    agentId: string,
    page: { limit: number; after?: string },
  ) => Promise<Tool[]>;
  findLinked: FindLinkedTools;
};

/** Replaces the secret; the previous one is no longer used. */
export type ReplaceToolSecret = (
  workspaceId: string,
  id: string,
  secret: string,
) => Promise<LinkedTool | undefined>;

/** A tool as called; `secret` is undefined if it was encrypted with another key. */
export type ToolTarget = Tool & { secret: string | undefined };

/** Reads a tool at the time of its call; for an agent only if it is linked. */
export type FindToolTarget = (
  workspaceId: string,
  wanted: { toolId: string; agentId?: string },
) => Promise<ToolTarget | undefined>;
