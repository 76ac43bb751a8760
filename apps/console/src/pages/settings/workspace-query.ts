import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type Workspace = Schemas['WorkspaceAnswer']['workspace'];
export type WorkspaceChange = Schemas['PutWorkspaceRequest'];

export const workspaceQuery = queryOptions({
  queryKey: ['workspace'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/v1/workspace', { signal }))).workspace,
});

/** Replaces the members that `change` has; the others stay. */
export const changeWorkspace = async (change: WorkspaceChange): Promise<Workspace> =>
  (await dataOf(api.PUT('/v1/workspace', { body: change }))).workspace;
