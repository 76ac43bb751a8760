import type { Memory } from '../memory.ts';

export type Recall = {
  all: (workspaceId: string, agentId: string) => Promise<RecalledMemories>;
};

export type RecalledMemories = {
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
