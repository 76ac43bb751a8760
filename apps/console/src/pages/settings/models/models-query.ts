import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/api.ts';
import { readProviders } from '../../../app/providers-query.ts';
import type { Providers } from '../../../app/providers-query.ts';
import type { components } from '../../../gen/api.ts';
import { refuseIfChanged } from '../refuse-if-changed.ts';
import { changeWorkspace, readWorkspace } from '../workspace-query.ts';
import type { Workspace } from '../workspace-query.ts';

type Schemas = components['schemas'];
export type Aliases = Workspace['aliases'];
export type Target = Aliases[string]['targets'][number];
export type RouterList = keyof Workspace['router'];
export type Provider = Providers['providers'][number];
export type ProviderDraft = Schemas['PutProvidersRequest']['providers'][number];

/** The model that an address of the operator leads to first; no model is called. */
export const firstModelQuery = (address: string) =>
  queryOptions({
    queryKey: ['first-model', address],
    queryFn: async ({ signal }) => {
      const body = { model: address, messages: [{ role: 'user' as const, content: 'Hello' }] };
      return (await dataOf(api.POST('/v1/chat/completions/preview', { body, signal }))).egress;
    },
    retry: false,
  });

/**
 * Changes the aliases as they are right before the write, because the API replaces all of them. A
 * change by another client between this read and the write is lost: no write is conditional.
 */
const editAliases = async (edit: (aliases: Aliases) => Aliases): Promise<Workspace> => {
  const { aliases } = await readWorkspace();
  return changeWorkspace({ aliases: edit(aliases) });
};

export type AliasDraft = { name: string; targets: Target[] };

/** Writes an alias in place of `opened`, if given. Throws if that one is not the same any more. */
export const saveAlias = ({ name, targets }: AliasDraft, opened?: AliasDraft): Promise<Workspace> =>
  editAliases((aliases) => {
    if (opened) {
      const current = aliases[opened.name];
      refuseIfChanged(`The alias “${opened.name}”`, opened.targets, current?.targets);
    }
    const others = Object.entries(aliases).filter(([one]) => one !== opened?.name);
    if (others.some(([one]) => one === name)) {
      throw new Error(`There is an alias “${name}” already. Choose another name.`);
    }
    return Object.fromEntries([...others, [name, { targets }]]);
  });

export const deleteAlias = (name: string): Promise<Workspace> =>
  editAliases((aliases) =>
    Object.fromEntries(Object.entries(aliases).filter(([one]) => one !== name)),
  );

/**
 * Replaces one list of the router; without targets, that of the operator applies. Throws if the
 * list is not `opened` any more.
 */
export const saveRouterList = async (
  list: RouterList,
  targets: Target[],
  opened: readonly Target[],
): Promise<Workspace> => {
  const { router } = await readWorkspace();
  refuseIfChanged('This list', opened, router[list].targets);
  return changeWorkspace({ router: { ...router, [list]: { targets } } });
};

/**
 * Changes the providers as they are right before the write; each keeps its key unless the draft has
 * one. `check` may throw for them. As with aliases, a change between read and write is lost.
 */
const editProviders = async (
  edit: (providers: ProviderDraft[]) => ProviderDraft[],
  check: (providers: readonly Provider[]) => void = () => {},
): Promise<Providers> => {
  const { providers } = await readProviders();
  check(providers);
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

/** Changes a provider. Throws if it is not `opened` any more. */
export const changeProvider = (draft: ProviderDraft, opened: Provider): Promise<Providers> =>
  editProviders(
    (providers) => providers.map((one) => (one.name === draft.name ? draft : one)),
    (providers) => {
      const current = providers.find(({ name }) => name === opened.name);
      const subject = `The provider “${opened.name}”`;
      refuseIfChanged(subject, editedMembers(opened), current && editedMembers(current));
    },
  );

const editedMembers = ({ dialect, baseUrl, keyPreview }: Provider): unknown[] => [
  dialect,
  baseUrl,
  keyPreview,
];

export const removeProvider = (name: string): Promise<Providers> =>
  editProviders((providers) => providers.filter((one) => one.name !== name));
