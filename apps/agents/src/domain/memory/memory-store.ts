import type { Memory, MemoryMarks } from './memory.ts';
import type { MemoryTag } from './to-memory-tag.ts';

/** Memory to store; `id` is used only if the key is new in its scope. */
export type MemoryDraft = MemoryTag & MemoryMarks & { id: string; isGlobalDenied: boolean };

export type StoredMemory = Memory & {
  createdAt: Date;
  isGlobalDenied: boolean;
};

export type MemoryOwner = { workspaceId: string; agentId: string };

/**
 * Stores memories. `save` and `list` return undefined for an agent that does not exist in the
 * workspace.
 */
export type MemoryStore = {
  /**
   * Upserts all memories or none, by key and scope, in the order of the drafts, whose keys must be
   * distinct per scope. Rejects with CONFLICT `memory_limit_reached` if a scope would exceed `max`.
   */
  save: (
    owner: MemoryOwner,
    drafts: readonly MemoryDraft[],
    max: number,
  ) => Promise<StoredMemory[] | undefined>;
  list: (
    owner: MemoryOwner,
    page: { limit: number; after?: string },
  ) => Promise<StoredMemory[] | undefined>;
  delete: (owner: MemoryOwner, id: string) => Promise<boolean>;
};
