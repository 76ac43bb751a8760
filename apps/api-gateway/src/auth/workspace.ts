export type Workspace = { id: string; name: string; createdAt: Date };

export type Workspaces = {
  get: (workspaceId: string) => Promise<Workspace>;
  rename: (workspaceId: string, name: string) => Promise<Workspace>;
};
