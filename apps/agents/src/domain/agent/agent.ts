export type Agent = Persona & {
  id: string;
  /** The name in addresses; unique in the workspace. */
  slug: string;
  createdAt: Date;
  updatedAt: Date;
};

/** Texts that define the agent's character; empty means not set. */
export type Persona = {
  name: string;
  role: string;
  systemPrompt: string;
  personality: string;
  mission: string;
  decisionStyle: string;
  /** The preferred model address. */
  model: string;
};

/** Absent members stay unchanged. */
export type AgentChange = Partial<Persona>;

export type LocalOnlyCounts = { sessions: number; memories: number };

/** Stores the agents of a workspace; agents of other workspaces are not found. */
export type AgentStore = {
  /** Rejects with CONFLICT `slug_taken`, or `agent_limit_reached` beyond `max`. */
  insert: (workspaceId: string, agent: Agent, max: number) => Promise<void>;
  /** Newest first; `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Agent[]>;
  find: (workspaceId: string, id: string) => Promise<Agent | undefined>;
  /** Returns those that exist, in no order. */
  findAll: (workspaceId: string, ids: readonly string[]) => Promise<Agent[]>;
  findBySlug: (workspaceId: string, slug: string) => Promise<Agent | undefined>;
  /** Returns the agent before and after the change. Rejects with CONFLICT `slug_taken`. */
  update: (
    workspaceId: string,
    id: string,
    change: AgentChange & { slug?: string; updatedAt: Date },
  ) => Promise<{ before: Agent; agent: Agent } | undefined>;
  /** Counts the data that the agent may be shown only in local calls. */
  countLocalOnly: (workspaceId: string, id: string) => Promise<LocalOnlyCounts>;
  /**
   * Deletes the agent with its sessions, memories and extracted facts; false if it does not exist.
   */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};
