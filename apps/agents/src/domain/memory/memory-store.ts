import type { Memory, MemoryMarks } from './memory.ts';
import type { MemoryTag } from './to-memory-tag.ts';

/** What is to be remembered. The id is used if its key is new in its scope. */
export type MemoryDraft = MemoryTag & MemoryMarks & { id: string; isGlobalDenied: boolean };

/** A memory as the API shows it. */
export type StoredMemory = Memory & {
  createdAt: Date;
  /** Its agent asked for a global one, which its turn was not allowed to write. */
  isGlobalDenied: boolean;
};

/** Whose memories. */
export type MemoryOwner = { workspaceId: string; agentId: string };

/**
 * What the agents of a workspace remember. An agent of another workspace is not there, and neither
 * are its memories; where one that is not there is asked for, the answer is undefined.
 */
export type MemoryStore = {
  /**
   * Writes all or none, each by its key in its scope; answers them in the order of the drafts,
   * which must have each key once in a scope. Rejects with CONFLICT `memory_limit_reached` when a
   * scope would hold more than `max`.
   */
  save: (
    owner: MemoryOwner,
    drafts: readonly MemoryDraft[],
    max: number,
  ) => Promise<StoredMemory[] | undefined>;
  /** The agent's own and all global ones, newest first; `after` ends the page before. */
  list: (
    owner: MemoryOwner,
    page: { limit: number; after?: string },
  ) => Promise<StoredMemory[] | undefined>;
  /** An own or a global one, with its revisions; false when there is none. */
  delete: (owner: MemoryOwner, id: string) => Promise<boolean>;
};
