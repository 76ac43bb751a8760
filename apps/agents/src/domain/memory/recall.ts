import type { Memory } from './memory.ts';

/** What an agent remembers, as a turn reads it. */
export type Recall = {
  /** All that it knows: its own, and the workspace's that none of its own shadows. */
  all: (workspaceId: string, agentId: string) => Promise<Memory[]>;
};
