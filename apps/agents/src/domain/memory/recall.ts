import type { Memory } from './memory.ts';

/** Reads an agent's memories for a turn. */
export type Recall = {
  all: (workspaceId: string, agentId: string) => Promise<RecalledMemories>;
};

/** Memories, filtered by what a call may be shown. */
export type RecalledMemories = {
  /**
   * The agent's own, and the global ones not overridden by an own key; local-only ones only for
   * local calls.
   */
  shownTo: (call: { staysLocal: boolean }) => Memory[];
};

export const createRecalled = (all: readonly Memory[]): RecalledMemories => ({
  shownTo: ({ staysLocal }) => {
    const visible = all.filter(({ isLocalOnly }) => staysLocal || !isLocalOnly);
    const own = new Set(visible.flatMap((one) => (one.isGlobal ? [] : [one.keyNorm])));
    return visible.filter(({ isGlobal, keyNorm }) => !isGlobal || !own.has(keyNorm));
  },
});
