/** An adviser with a character of its own. */
export type Agent = Persona & {
  id: string;
  /** As addresses have it; unique in the workspace. */
  slug: string;
  createdAt: Date;
  updatedAt: Date;
};

/** What makes its character; empty texts were not given. */
export type Persona = {
  name: string;
  role: string;
  systemPrompt: string;
  personality: string;
  mission: string;
  decisionStyle: string;
  /** The model address that it prefers. */
  model: string;
};

/** Members that change; those that are absent stay. */
export type AgentChange = Partial<Persona>;

export type LocalOnlyCounts = { sessions: number; memories: number };

/** What a workspace keeps of its agents. An agent of another workspace is not there. */
export type AgentStore = {
  /** Rejects with CONFLICT `slug_taken`, or `agent_limit_reached` beyond `max`. */
  insert: (workspaceId: string, agent: Agent, max: number) => Promise<void>;
  /** Newest first; `after` is the id of the last one of the page before. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Agent[]>;
  find: (workspaceId: string, id: string) => Promise<Agent | undefined>;
  /** Those of them that are there, in no order. */
  findAll: (workspaceId: string, ids: readonly string[]) => Promise<Agent[]>;
  findBySlug: (workspaceId: string, slug: string) => Promise<Agent | undefined>;
  /** As it was and as it is. Rejects with CONFLICT `slug_taken`. */
  update: (
    workspaceId: string,
    id: string,
    change: AgentChange & { slug?: string; updatedAt: Date },
  ) => Promise<{ before: Agent; agent: Agent } | undefined>;
  /** What it may be shown only while it stays on the machine. */
  countLocalOnly: (workspaceId: string, id: string) => Promise<LocalOnlyCounts>;
  /** With its sessions, memories and facts; false when it is not there. */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};
