import type { ExtractedFact } from '../answer/read-extracted-facts.ts';

/** Namespace of facts extracted from chats with an agent. */
export const sourceOfChat = (agentId: string): string => `agent_chat:${agentId}`;

/** A stored fact. */
export type Fact = ExtractedFact & {
  id: string;
  source: string;
  /** Time of the first extraction. */
  createdAt: Date;
};

/** A fact to be stored. The id applies if its category and key are new in its source. */
export type FactDraft = ExtractedFact & { id: string };

export type FactBatch = {
  source: string;
  /** For a repeated category and key the last one counts. */
  drafts: readonly FactDraft[];
  /** The agent that owns the facts: nothing is stored if it was deleted. Absent: the workspace. */
  agentId?: string;
};

/** Stores the extracted facts of a workspace; facts of other workspaces are not found. */
export type FactStore = {
  /** Upserts all or none, by source, category and key. */
  upsert: (workspaceId: string, batch: FactBatch) => Promise<void>;
  /** Newest first; optionally of one source or category. */
  list: (
    workspaceId: string,
    wanted: { source?: string; category?: string; limit: number },
  ) => Promise<Fact[]>;
  find: (workspaceId: string, id: string) => Promise<Fact | undefined>;
  /** False if it does not exist. */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};
