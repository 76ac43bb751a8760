import type { Memory } from './memory.ts';

/** What an agent remembers, as a turn reads it. */
export type Recall = {
  /** All that it remembers. */
  all: (workspaceId: string, agentId: string) => Promise<RecalledMemories>;
};

/** Memories, of which a call is shown what it may be. */
export type RecalledMemories = {
  /**
   * The agent's own, and the workspace's that none of its own shadows; those that are local only
   * for calls that stay on the machine.
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
