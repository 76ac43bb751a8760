import type { ExtractedFact } from './read-extracted-facts.ts';

export type Fact = ExtractedFact & {
  id: string;
  source: string;
  createdAt: Date;
};

/** Fact to store; `id` is used only if the source has no fact with this category and key yet. */
export type FactDraft = ExtractedFact & { id: string };

export type FactBatch = {
  source: string;
  /** Facts to store; of several with the same category and key, the last one is stored. */
  drafts: readonly FactDraft[];
  /**
   * Agent from whose chat the facts are; nothing is stored if it was deleted. Undefined for facts
   * from other sources.
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
