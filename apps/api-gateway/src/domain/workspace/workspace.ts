/** A workspace as its members see it. */
export type Workspace = { id: string; name: string; createdAt: Date };

/** The workspaces of this installation. Both reject with NOT_FOUND for an id that is unknown. */
export type Workspaces = {
  get: (workspaceId: string) => Promise<Workspace>;
  /** Answers the workspace under its new name. */
  rename: (workspaceId: string, name: string) => Promise<Workspace>;
};
