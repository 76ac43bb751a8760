export type Tool = {
  id: string;
  /** Function name for the model; unique in the workspace. */
  name: string;
  description: string;
  parameters: string;
  url: string;
  isActive: boolean;
  createdAt: Date;
};

export type LinkedAgent = { id: string; name: string };

export type LinkedTool = Tool & { agents: readonly LinkedAgent[] };

export type TurnTool = Pick<Tool, 'id' | 'name' | 'description' | 'parameters'>;

/** Returns all tools linked to the agent, sorted by name, with inactive ones. */
export type FindLinkedTools = (
  workspaceId: string,
  agentId: string,
) => Promise<(TurnTool & Pick<Tool, 'isActive'>)[]>;

/** `arguments` are as the model wrote them: usually, but not always, JSON. */
export type ToolRequest = {
  id: string;
  name: string;
  arguments: string;
  /** 1-based round of the turn; 0 in a test. */
  round: number;
};

export type ToolRun = ToolRequest & {
  toolId: string;
  status: 'ok' | 'error' | 'timeout';
  httpStatus: number | null;
  /** Milliseconds from sending to the end of the response; 0 if nothing was sent. */
  durationMs: number;
  /**
   * JSON with numbers preserved exactly; null on error. Text, because a parsed response of empty
   * objects takes twenty times the memory.
   */
  result: string | null;
  /** Describes the error to the model and the caller. */
  error: string | null;
};

/**
 * Calls a tool by its current registration and links. Errors of the model or the tool are results;
 * rejects with the signal's reason, and for failures of the service.
 */
export type RunTool = (
  tool: Pick<TurnTool, 'id'> & { agentId: string },
  request: ToolRequest,
  caller: { workspaceId: string; signal: AbortSignal },
) => Promise<ToolRun>;

export type ToolChange = Partial<
  Pick<Tool, 'name' | 'description' | 'parameters' | 'url' | 'isActive'>
>;

export type ToolStore = {
  /**
   * Rejects with CONFLICT `name_taken`, or `tool_limit_reached` beyond `max`; INVALID_REQUEST for
   * agents that do not exist.
   */
  insert: (
    workspaceId: string,
    tool: Tool & { secret: string },
    links: { agentIds: readonly string[]; max: number },
  ) => Promise<LinkedTool>;
  /** Newest first; `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Tool[]>;
  find: (workspaceId: string, id: string) => Promise<LinkedTool | undefined>;
  update: (workspaceId: string, id: string, change: ToolChange) => Promise<LinkedTool | undefined>;
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

/**
 * Linking and unlinking are idempotent. They reject with NOT_FOUND for an agent or tool that does
 * not exist.
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

export type ReplaceToolSecret = (
  workspaceId: string,
  id: string,
  secret: string,
) => Promise<LinkedTool | undefined>;

/** `secret` is undefined if it was encrypted with another key. */
export type ToolTarget = Tool & { secret: string | undefined };

/**
 * Read at the time of the call, so that changes apply at once. With `agentId`, only linked tools
 * are found.
 */
export type FindToolTarget = (
  workspaceId: string,
  wanted: { toolId: string; agentId?: string },
) => Promise<ToolTarget | undefined>;
