export type Workspace = { id: string; name: string; createdAt: Date };

/** The workspaces of this installation. Both functions reject with NOT_FOUND for an unknown id. */
export type Workspaces = {
  get: (workspaceId: string) => Promise<Workspace>;
  /** Returns the renamed workspace. */
  rename: (workspaceId: string, name: string) => Promise<Workspace>;
};
