import type { ExtractedFact } from '../answer/read-extracted-facts.ts';

/** The namespace of what is read out of chats with an agent (Seed 2.5). */
export const sourceOfChat = (agentId: string): string => `agent_chat:${agentId}`;

/** A fact that is kept. */
export type Fact = ExtractedFact & {
  id: string;
  source: string;
  /** When it was first extracted. */
  createdAt: Date;
};

/** A fact to be kept. The id is used if its category and key are new in its source. */
export type FactDraft = ExtractedFact & { id: string };

/** Facts of one source that are kept together. */
export type FactBatch = {
  source: string;
  /** Of two of one category and key the last counts. */
  drafts: readonly FactDraft[];
  /** Whose they are: nothing is kept for an agent that is gone. Absent: the workspace's. */
  agentId?: string;
};

/** What a workspace keeps of its facts. A fact of another workspace is not there. */
export type FactStore = {
  /** Writes all or none, by source, category and key; those that are there get new values. */
  upsert: (workspaceId: string, batch: FactBatch) => Promise<void>;
  /** Newest first; of any source or category unless one is named. */
  list: (
    workspaceId: string,
    wanted: { source?: string; category?: string; limit: number },
  ) => Promise<Fact[]>;
  find: (workspaceId: string, id: string) => Promise<Fact | undefined>;
  /** False when it is not there. */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};
