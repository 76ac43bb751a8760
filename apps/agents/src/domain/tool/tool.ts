/** An HTTPS endpoint of the customer's that agents may call in a turn (Seed 2.10). */
export type Tool = {
  id: string;
  /** The function's name for the model; unique in the workspace. */
  name: string;
  description: string;
  /** JSON text of the schema of its arguments, which models are shown. */
  parameters: string;
  /** Normalised and judged by the target policy. */
  url: string;
  /** False: no agent is offered it, and none can call it. */
  isActive: boolean;
  createdAt: Date;
};

export type LinkedAgent = { id: string; name: string };

/** A tool and the agents that may call it, by name. */
export type LinkedTool = Tool & { agents: readonly LinkedAgent[] };

/** A tool that an agent may call in a turn; `parameters` is the schema as text for the model. */
export type TurnTool = Pick<Tool, 'id' | 'name' | 'description' | 'parameters'>;

/** Those that are linked to the agent, also what is not active; by name. */
export type FindLinkedTools = (
  workspaceId: string,
  agentId: string,
) => Promise<(TurnTool & Pick<Tool, 'isActive'>)[]>;

/** One call that a model asked for; `arguments` is JSON text as it wrote it, or tried to. */
export type ToolRequest = {
  /** The model's id of the call. */
  id: string;
  name: string;
  arguments: string;
  /** 1 for the first answer of a turn that asks for tools; 0 in a test. */
  round: number;
};

/** How one call of a tool went. */
export type ToolRun = ToolRequest & {
  toolId: string;
  status: 'ok' | 'error' | 'timeout';
  /** Null: nothing answered, or nothing was sent. */
  httpStatus: number | null;
  /** From sending to the end of the answer, in milliseconds; 0 when nothing was sent. */
  durationMs: number;
  /**
   * The JSON that the tool answered, number for number; null: an error. A turn keeps it as text:
   * an answer of nothing but empty objects takes twenty times its length when it is parsed.
   */
  result: string | null;
  /** What went wrong, in words fit for the model and the caller; null: nothing. */
  error: string | null;
};

/**
 * Calls a tool as it is registered, and linked to the agent, now. Whatever the model or the tool
 * did wrong is a run; rejects with the reason of an aborted signal, and with what keeps the service
 * itself from working.
 */
export type RunTool = (
  tool: Pick<TurnTool, 'id'> & { agentId: string },
  request: ToolRequest,
  caller: { workspaceId: string; signal: AbortSignal },
) => Promise<ToolRun>;

/** Members that change; those that are absent stay. */
export type ToolChange = Partial<
  Pick<Tool, 'name' | 'description' | 'parameters' | 'url' | 'isActive'>
>;

/** What a workspace keeps of its tools. A tool of another workspace is not there. */
export type ToolStore = {
  /**
   * Rejects with CONFLICT `name_taken`, with `tool_limit_reached` beyond `max`, and with
   * INVALID_REQUEST naming the agents that are not there.
   */
  insert: (
    workspaceId: string,
    tool: Tool & { secret: string },
    links: { agentIds: readonly string[]; max: number },
  ) => Promise<LinkedTool>;
  /** Newest first; `after` is the id of the last one of the page before. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Tool[]>;
  find: (workspaceId: string, id: string) => Promise<LinkedTool | undefined>;
  /** Rejects with CONFLICT `name_taken`. */
  update: (workspaceId: string, id: string, change: ToolChange) => Promise<LinkedTool | undefined>;
  /** With its links and its secret; false when it is not there. */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

/** Which agent has which tool. What is not there rejects with NOT_FOUND. */
export type ToolLinkStore = {
  /** Harmless when it is linked. */
  link: (workspaceId: string, ends: { agentId: string; toolId: string }) => Promise<void>;
  /** Harmless when it is not linked. */
  unlink: (workspaceId: string, ends: { agentId: string; toolId: string }) => Promise<void>;
  /** As `ToolStore.list`, of one agent. */
  list: (
    workspaceId: string,
    agentId: string,
    page: { limit: number; after?: string },
  ) => Promise<Tool[]>;
  findLinked: FindLinkedTools;
};

/** Puts a new secret in the place of the current one, which signs nothing any more. */
export type ReplaceToolSecret = (
  workspaceId: string,
  id: string,
  secret: string,
) => Promise<LinkedTool | undefined>;

/** A tool as it is called; no `secret`: it was sealed with another key. */
export type ToolTarget = Tool & { secret: string | undefined };

/** Reads all that a call needs, at the moment of the call; for an agent only what it has. */
export type FindToolTarget = (
  workspaceId: string,
  wanted: { toolId: string; agentId?: string },
) => Promise<ToolTarget | undefined>;
