export type MemoryPolicy = {
  /** True if agents may write global memories; API callers always may. */
  globalWrites: boolean;
};

export const DEFAULT_POLICY: MemoryPolicy = { globalWrites: true };

export type MemoryPolicyStore = {
  get: (workspaceId: string) => Promise<MemoryPolicy>;
  set: (workspaceId: string, policy: MemoryPolicy) => Promise<void>;
};

export type MayShareMemories = (workspaceId: string) => Promise<boolean>;
