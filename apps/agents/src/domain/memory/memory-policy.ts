/** What the answers of a workspace's agents may write. */
export type MemoryPolicy = {
  /** Memories of the whole workspace. Callers of the API write those in any case. */
  globalWrites: boolean;
};

/** Of a workspace that never said otherwise. */
export const DEFAULT_POLICY: MemoryPolicy = { globalWrites: true };

/** What workspaces decided. */
export type MemoryPolicyStore = {
  get: (workspaceId: string) => Promise<MemoryPolicy>;
  set: (workspaceId: string, policy: MemoryPolicy) => Promise<void>;
};

/** Whether tags of a turn may write memories of the whole workspace (C5, injection rule 4). */
export type MayShareMemories = (workspaceId: string) => Promise<boolean>;
