/** Rules for what agents of a workspace may write. */
export type MemoryPolicy = {
  /** Agents may write global memories. API callers always may. */
  globalWrites: boolean;
};

/** For workspaces without a setting. */
export const DEFAULT_POLICY: MemoryPolicy = { globalWrites: true };

export type MemoryPolicyStore = {
  get: (workspaceId: string) => Promise<MemoryPolicy>;
  set: (workspaceId: string, policy: MemoryPolicy) => Promise<void>;
};

/** Returns whether tags of a turn may write global memories. */
export type MayShareMemories = (workspaceId: string) => Promise<boolean>;
