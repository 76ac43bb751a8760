import type { Memory, MemoryMarks } from './memory.ts';
import type { MemoryTag } from './to-memory-tag.ts';

/** A memory to be stored. The id applies if its key is new in its scope. */
export type MemoryDraft = MemoryTag & MemoryMarks & { id: string; isGlobalDenied: boolean };

/** A memory as the API returns it. */
export type StoredMemory = Memory & {
  createdAt: Date;
  /** Its agent requested a global memory, which its turn was not allowed to write. */
  isGlobalDenied: boolean;
};

export type MemoryOwner = { workspaceId: string; agentId: string };

/**
 * Stores the memories of a workspace's agents. Methods return undefined for an agent that does not
 * exist in the workspace.
 */
export type MemoryStore = {
  /**
   * Upserts all or none by key and scope, and returns them in the order of the drafts, whose keys
   * must be distinct per scope. Rejects with CONFLICT `memory_limit_reached` if a scope would
   * exceed `max`.
   */
  save: (
    owner: MemoryOwner,
    drafts: readonly MemoryDraft[],
    max: number,
  ) => Promise<StoredMemory[] | undefined>;
  /**
   * The agent's own and all global ones, newest first; `after` is the last id of the previous page.
   */
  list: (
    owner: MemoryOwner,
    page: { limit: number; after?: string },
  ) => Promise<StoredMemory[] | undefined>;
  /** Deletes an own or a global memory with its revisions; false if it does not exist. */
  delete: (owner: MemoryOwner, id: string) => Promise<boolean>;
};
