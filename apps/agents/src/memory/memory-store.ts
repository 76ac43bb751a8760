import { notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { Memory, MemoryMarks } from './memory.ts';
import type { MemoryTag } from './tags/to-memory-tag.ts';

/**
 * Memory to store; `id` is used only if the agent, or for a global memory the workspace, has no
 * memory with this key yet.
 */
export type MemoryDraft = MemoryTag & MemoryMarks & { id: string; isGlobalDenied: boolean };

export type StoredMemory = Memory & {
  createdAt: Date;
  isGlobalDenied: boolean;
};

/** A value that a memory had before; `revision` counts its values from 1. */
export type MemoryRevision = Pick<StoredMemory, 'key' | 'value' | 'type' | 'origin'> & {
  revision: number;
  validFrom: Date;
  /** When the next value replaced it. */
  validTo: Date;
};

export type MemoryOwner = { workspaceId: string; agentId: string };

/**
 * Stores memories. `save` and `list` return undefined for an agent that does not exist in the
 * workspace.
 */
export type MemoryStore = {
  /**
   * Upserts all memories or none and returns them in the order of the drafts. An agent's own
   * memories and the workspace's global ones are separate: in each of the two sets the drafts' keys
   * must be distinct, and at most `max` memories are allowed (CONFLICT `memory_limit_reached`).
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
  /**
   * Returns the earlier values of a memory of the agent or a global one, newest first; undefined if
   * there is no such memory.
   */
  listRevisions: (owner: MemoryOwner, id: string) => Promise<MemoryRevision[] | undefined>;
  delete: (owner: MemoryOwner, id: string) => Promise<boolean>;
};

export const noSuchSession = (): ServiceError =>
  notFound('There is no such session of this agent.', { param: 'sessionId' });

export type MemoryPolicy = {
  /** True if agents may write global memories; API callers always may. */
  globalWrites: boolean;
};

export const DEFAULT_POLICY: MemoryPolicy = { globalWrites: true };

export type MemoryPolicyStore = {
  get: (workspaceId: string) => Promise<MemoryPolicy>;
  set: (workspaceId: string, policy: MemoryPolicy) => Promise<void>;
};

/**
 * Reads whether agents of a workspace may write global memories. It is called after the model's
 * answer, so that a change of the policy during the chat turn takes effect.
 */
export type MayShareMemories = (workspaceId: string) => Promise<boolean>;

export type Recall = {
  all: (workspaceId: string, agentId: string) => Promise<RecalledMemories>;
};

type RecalledMemories = {
  /**
   * Returns the agent's own memories and the global ones that no own memory with the same key
   * hides. Local-only memories are returned only for calls that stay on the machine.
   */
  visibleTo: (call: { staysLocal: boolean }) => Memory[];
};

export const createRecalledMemories = (all: readonly Memory[]): RecalledMemories => ({
  visibleTo: ({ staysLocal }) => {
    const visible = all.filter(({ isLocalOnly }) => staysLocal || !isLocalOnly);
    const own = new Set(visible.flatMap((item) => (item.isGlobal ? [] : [item.keyNorm])));
    return visible.filter(({ isGlobal, keyNorm }) => !isGlobal || !own.has(keyNorm));
  },
});
