export type Agent = Persona & {
  id: string;
  /** Name in model addresses such as `agent:<slug>`, unique in the workspace. */
  slug: string;
  createdAt: Date;
  updatedAt: Date;
};

export type Persona = {
  name: string;
  role: string;
  systemPrompt: string;
  personality: string;
  mission: string;
  decisionStyle: string;
  model: string;
};

export type AgentChange = Partial<Persona>;

export type LocalOnlyCounts = { sessions: number; memories: number };

export type AgentStore = {
  /**
   * Inserts an agent. Rejects with CONFLICT `slug_taken`, or with `agent_limit_reached` if the
   * workspace already has `max` agents.
   */
  insert: (workspaceId: string, agent: Agent, max: number) => Promise<void>;
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Agent[]>;
  find: (workspaceId: string, id: string) => Promise<Agent | undefined>;
  findByIds: (workspaceId: string, ids: readonly string[]) => Promise<Agent[]>;
  findBySlug: (workspaceId: string, slug: string) => Promise<Agent | undefined>;
  /**
   * Updates an agent and returns it before and after the change; undefined if it does not exist.
   * Rejects with CONFLICT `slug_taken`.
   */
  update: (
    workspaceId: string,
    id: string,
    change: AgentChange & { slug?: string; updatedAt: Date },
  ) => Promise<{ before: Agent; agent: Agent } | undefined>;
  countLocalOnly: (workspaceId: string, id: string) => Promise<LocalOnlyCounts>;
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

export const sourceOfChat = (agentId: string): string => `agent_chat:${agentId}`;
