import type { ExtractedFact } from '../answer/read-extracted-facts.ts';

export const sourceOfChat = (agentId: string): string => `agent_chat:${agentId}`;

export type Fact = ExtractedFact & {
  id: string;
  source: string;
  createdAt: Date;
};

/** Fact to store; `id` is used only if the category and key are new in the source. */
export type FactDraft = ExtractedFact & { id: string };

export type FactBatch = {
  source: string;
  /** Facts to store; of several with the same category and key the last one wins. */
  drafts: readonly FactDraft[];
  /**
   * Agent that owns the facts; nothing is stored if it was deleted. If undefined, the workspace
   * owns them.
   */
  agentId?: string;
};

export type FactStore = {
  upsert: (workspaceId: string, batch: FactBatch) => Promise<void>;
  list: (
    workspaceId: string,
    wanted: { source?: string; category?: string; limit: number },
  ) => Promise<Fact[]>;
  find: (workspaceId: string, id: string) => Promise<Fact | undefined>;
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};
