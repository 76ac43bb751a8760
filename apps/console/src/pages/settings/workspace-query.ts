import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import type { components } from '../../gen/api.ts';
import { refuseIfChanged } from './refuse-if-changed.ts';

type Schemas = components['schemas'];
export type Workspace = Schemas['WorkspaceAnswer']['workspace'];
export type WorkspaceChange = Schemas['PutWorkspaceRequest'];

export const readWorkspace = async (signal?: AbortSignal): Promise<Workspace> =>
  (await dataOf(api.GET('/v1/workspace', signal ? { signal } : {}))).workspace;

export const workspaceQuery = queryOptions({
  queryKey: ['workspace'],
  queryFn: ({ signal }) => readWorkspace(signal),
});

/** Replaces the members that `change` has; the others stay. */
export const changeWorkspace = async (change: WorkspaceChange): Promise<Workspace> =>
  (await dataOf(api.PUT('/v1/workspace', { body: change }))).workspace;

/**
 * Replaces the privacy settings; members that `privacy` lacks get their defaults. Throws if they
 * are not `opened` any more, with which the form was opened.
 */
export const savePrivacy = async (
  privacy: NonNullable<WorkspaceChange['privacy']>,
  opened: Workspace['privacy'],
): Promise<Workspace> => {
  refuseIfChanged('The privacy settings', opened, (await readWorkspace()).privacy);
  return changeWorkspace({ privacy });
};
