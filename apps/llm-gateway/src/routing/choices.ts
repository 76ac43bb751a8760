import { ServiceError } from '@witan/contracts';
import type { PrivacySettings } from '../masking/privacy-settings.ts';
import { OFFLINE_PROVIDER } from '../provider/provider.ts';
import type { ProviderAccess, Target } from '../provider/provider.ts';
import type { WorkspaceModels, WorkspaceProvider } from '../provider/workspace-models.ts';
import { findProviderOfModel } from './choose-route.ts';
import type { RouteSettings } from './choose-route.ts';
import type { ModelCatalogue } from './model-catalogue.ts';

export type OperatorModels = {
  full: readonly Target[];
  cheap: readonly Target[];
  small: readonly Target[];
  local: Target | undefined;
  localModel: string | undefined;
  /** Targets of the models that the providers file lists, by name. */
  listed: ReadonlyMap<string, readonly Target[]>;
  embedding: readonly Target[];
  localEmbedding: Target | undefined;
};

type ChoicesDeps = {
  operator: OperatorModels;
  providers: ReadonlyMap<string, ProviderAccess>;
  workspaceAccess: (workspaceId: string, provider: WorkspaceProvider) => ProviderAccess;
  modelsOf: (workspaceId: string) => WorkspaceModels | Promise<WorkspaceModels>;
  catalogue: ModelCatalogue;
};

export const createChoices = (deps: ChoicesDeps): ChoicesFor => {
  const { operator, providers, catalogue } = deps;
  const operatorDialects = new Map(
    [...providers].map(([name, { provider }]) => [name, provider.dialects] as const),
  );
  const isLocalModel = (model: string): boolean | Promise<boolean> => {
    if (operator.localModel === undefined || model === '') return false;
    return model === operator.localModel || catalogue.isOfferedBy('local', model);
  };
  return async (workspaceId, model) => {
    const workspace = await deps.modelsOf(workspaceId);
    const settings: RouteSettings = {
      workspaceId,
      dialects: joinDialects(operatorDialects, workspace.providers),
      aliases: workspace.aliases,
      full: workspace.full.length > 0 ? workspace.full : operator.full,
      cheap: workspace.cheap.length > 0 ? workspace.cheap : operator.cheap,
      // If the workspace chose targets for simple calls, extractions use them too, instead of the
      // operator's targets.
      small: workspace.cheap.length > 0 ? workspace.cheap : operator.small,
      local: operator.local && chooseLocal(operator.local, workspace),
      listed: findListed(model, operator, workspace),
      isLocalModel: await isLocalModel(model),
      embedding: operator.embedding,
      localEmbedding: operator.localEmbedding && chooseLocal(operator.localEmbedding, workspace),
    };
    const accessTo = (name: string): ProviderAccess => {
      const ownProvider = workspace.providers.get(name);
      const access = ownProvider
        ? deps.workspaceAccess(workspaceId, ownProvider)
        : providers.get(name);
      if (!access) throw notConfigured(name);
      return access;
    };
    return { settings, privacy: workspace.privacy, accessTo };
  };
};

/**
 * Returns the local target, if there is one; undefined if that is the offline provider and the
 * workspace has providers of its own.
 */
const chooseLocal = (local: Target, workspace: WorkspaceModels): Target | undefined =>
  local.provider === OFFLINE_PROVIDER && workspace.providers.size > 0 ? undefined : local;

/**
 * Returns the targets of a model that the providers file lists; none if the workspace has an own
 * provider for models of this name.
 */
const findListed = (
  model: string,
  { listed }: OperatorModels,
  { providers }: WorkspaceModels,
): readonly Target[] => {
  const isOwn = providers.has(findProviderOfModel(model) ?? '');
  return isOwn ? [] : (listed.get(model) ?? []);
};

/**
 * Returns the error for a target whose provider the operator has removed; its reason causes the
 * next target to be tried.
 */
const notConfigured = (name: string): ServiceError =>
  new ServiceError(
    'PROVIDER_UNREACHABLE',
    `The model provider ${name} is not configured any more; take it out of the workspace's models.`,
  );

const joinDialects = (
  operator: RouteSettings['dialects'],
  workspaceProviders: WorkspaceModels['providers'],
): RouteSettings['dialects'] => {
  if (workspaceProviders.size === 0) return operator;
  const ownDialects = [...workspaceProviders.values()].map(
    ({ name, dialects }) => [name, dialects] as const,
  );
  return new Map([...operator, ...ownDialects]);
};

export type ChoicesFor = (workspaceId: string, model: string) => Promise<Choices>;

type Choices = {
  settings: RouteSettings;
  privacy: PrivacySettings;
  accessTo: (provider: string) => ProviderAccess;
};
