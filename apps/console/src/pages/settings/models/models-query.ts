import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/api.ts';
import type { components } from '../../../gen/api.ts';
import { changeWorkspace } from '../workspace-query.ts';
import type { Workspace } from '../workspace-query.ts';

type Schemas = components['schemas'];
export type Aliases = Workspace['aliases'];
export type Target = Aliases[string]['targets'][number];
export type RouterList = keyof Workspace['router'];
export type Providers = Schemas['ProvidersAnswer'];
export type Provider = Providers['providers'][number];
export type ProviderDraft = Schemas['PutProvidersRequest']['providers'][number];

const readProviders = (signal?: AbortSignal): Promise<Providers> =>
  dataOf(api.GET('/v1/workspace/providers', signal ? { signal } : {}));

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => readProviders(signal),
});

/**
 * Changes the aliases as they are now, not as they were when the page was loaded, because the API
 * replaces all of them.
 */
const editAliases = async (edit: (aliases: Aliases) => Aliases): Promise<Workspace> => {
  const { workspace } = await dataOf(api.GET('/v1/workspace'));
  return changeWorkspace({ aliases: edit(workspace.aliases) });
};

export type AliasDraft = { name: string; targets: Target[] };

/** Writes an alias; `formerName` is the one that it replaces. */
export const saveAlias = ({ name, targets }: AliasDraft, formerName?: string): Promise<Workspace> =>
  editAliases((aliases) => {
    const others = Object.entries(aliases).filter(([one]) => one !== formerName);
    if (others.some(([one]) => one === name)) {
      throw new Error(`There is an alias “${name}” already. Choose another name.`);
    }
    return Object.fromEntries([...others, [name, { targets }]]);
  });

export const deleteAlias = (name: string): Promise<Workspace> =>
  editAliases((aliases) =>
    Object.fromEntries(Object.entries(aliases).filter(([one]) => one !== name)),
  );

/** Replaces one list of the router; without targets, that of the operator applies. */
export const saveRouterList = async (list: RouterList, targets: Target[]): Promise<Workspace> => {
  const { workspace } = await dataOf(api.GET('/v1/workspace'));
  return changeWorkspace({ router: { ...workspace.router, [list]: { targets } } });
};

/** Changes the providers as they are now; each keeps its key unless the draft has one. */
const editProviders = async (
  edit: (providers: ProviderDraft[]) => ProviderDraft[],
): Promise<Providers> => {
  const { providers } = await readProviders();
  const drafts = providers.map(({ name, dialect, baseUrl }) => ({ name, dialect, baseUrl }));
  return dataOf(api.PUT('/v1/workspace/providers', { body: { providers: edit(drafts) } }));
};

export const addProvider = (draft: ProviderDraft): Promise<Providers> =>
  editProviders((providers) => {
    if (providers.some(({ name }) => name === draft.name)) {
      throw new Error(`There is a provider “${draft.name}” already. Choose another name.`);
    }
    return [...providers, draft];
  });

export const changeProvider = (draft: ProviderDraft): Promise<Providers> =>
  editProviders((providers) => providers.map((one) => (one.name === draft.name ? draft : one)));

export const removeProvider = (name: string): Promise<Providers> =>
  editProviders((providers) => providers.filter((one) => one.name !== name));
