import type { PrivacySettings } from '../masking/privacy-settings.ts';
import { ServiceError } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import type { ProviderAccess, Target } from '../provider/provider.ts';
import type { WorkspaceModels, WorkspaceProvider } from '../provider/workspace-models.ts';
import type { RouteSettings } from './choose-route.ts';
import type { ModelCatalogue } from './model-catalogue.ts';
import { OFFLINE_PROVIDER } from '../provider/provider.ts';

export type OperatorModels = {
  full: readonly Target[];
  cheap: readonly Target[];
  small: readonly Target[];
  local: Target | undefined;
  localModel: string | undefined;
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
    [...providers].map(([name, { provider }]) => [name, provider.dialect] as const),
  );
  const isLocalModel = (model: string): boolean | Promise<boolean> => {
    if (operator.localModel === undefined || model === '') return false;
    return model === operator.localModel || catalogue.isOfferedBy('local', model);
  };
  return async (workspaceId, model) => {
    const own = await deps.modelsOf(workspaceId);
    const settings: RouteSettings = {
      workspaceId,
      dialects: joinDialects(operatorDialects, own.providers),
      aliases: own.aliases,
      full: own.full.length > 0 ? own.full : operator.full,
      cheap: own.cheap.length > 0 ? own.cheap : operator.cheap,
      // If the workspace chose targets for simple calls, extractions use them too, instead of the
      // operator's targets.
      small: own.cheap.length > 0 ? own.cheap : operator.small,
      local: chooseLocal(operator, own),
      isLocalModel: await isLocalModel(model),
    };
    const accessTo = (name: string): ProviderAccess => {
      const ownProvider = own.providers.get(name);
      const access = ownProvider
        ? deps.workspaceAccess(workspaceId, ownProvider)
        : providers.get(name);
      if (!access) throw notConfigured(name);
      return access;
    };
    return { settings, privacy: own.privacy, accessTo };
  };
};

/**
 * Returns the local target; undefined if that is the offline provider and the workspace has
 * providers of its own.
 */
const chooseLocal = ({ local }: OperatorModels, own: WorkspaceModels): Target | undefined =>
  local?.provider === OFFLINE_PROVIDER && own.providers.size > 0 ? undefined : local;

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
  operator: ReadonlyMap<string, DialectName>,
  own: WorkspaceModels['providers'],
): ReadonlyMap<string, DialectName> => {
  if (own.size === 0) return operator;
  const ownDialects = [...own.values()].map(({ name, dialect }) => [name, dialect] as const);
  return new Map([...operator, ...ownDialects]);
};

export type ChoicesFor = (workspaceId: string, model: string) => Promise<Choices>;

type Choices = {
  settings: RouteSettings;
  privacy: PrivacySettings;
  accessTo: (provider: string) => ProviderAccess;
};
