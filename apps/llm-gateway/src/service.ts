import { CompletionService, ModelService } from '@witan/contracts/services';
import { implement } from '@witan/service-kit';
import type { Host, Service } from '@witan/service-kit';
import { createLedgerWriter } from './clients/ledger-writer.ts';
import type { Config } from './config.ts';
import type { Provider } from './domain/completion/ports.ts';
import type { CompletionDeps } from './domain/completion/run-completion.ts';
import type { RouteSettings } from './domain/route/choose-route.ts';
import { createModelCatalogue } from './domain/route/model-catalogue.ts';
import type { ModelCatalogue } from './domain/route/model-catalogue.ts';
import { createComplete } from './handlers/complete.ts';
import { createListModels } from './handlers/list-models.ts';
import { createLocal } from './providers/local.ts';
import { OFFLINE_MODEL } from './providers/offline/answer-offline.ts';
import { createOfflineProvider } from './providers/offline/offline-provider.ts';
import { createOpenai } from './providers/openai.ts';

/** Composes the llm-gateway: the only process that talks to model providers. */
export const createService = async (config: Config, host: Host): Promise<Service> => {
  const ledger = host.connect('ledger');
  const writer = createLedgerWriter(ledger);
  const { providers, close } = openProviders(config);
  const catalogue = createModelCatalogue(providers.values(), {
    clock: Date.now,
    onFailure: (provider, err) => host.log.warn({ provider, err }, 'could not list its models'),
  });
  const deps = {
    books: writer,
    providers,
    settingsFor: toSettingsFor(config, providers, catalogue),
    maxOutputTokens: config.maxOutputTokens,
    totalTimeoutMs: config.totalTimeoutMs,
  };
  return {
    implementations: [
      implement(CompletionService, { complete: createComplete(deps) }),
      implement(ModelService, { listModels: createListModels(catalogue) }),
    ],
    checks: { ledger: () => ledger.ready(READY_TIMEOUT_MS) },
    stop: async () => {
      await writer.close();
      await close();
      await ledger.close();
    },
  };
};

const READY_TIMEOUT_MS = 1_000;

type Providers = { providers: Map<Provider['name'], Provider>; close: () => Promise<void> };

const openProviders = (config: Config): Providers => {
  const remote = [
    ...(config.openai ? [createOpenai(config.openai, config.timeouts)] : []),
    ...(config.local ? [createLocal(config.local, config.timeouts)] : []),
  ];
  const all: Provider[] = config.offline ? [...remote, createOfflineProvider()] : remote;
  return {
    providers: new Map(all.map((provider) => [provider.name, provider])),
    close: async () => {
      await Promise.all(remote.map((provider) => provider.close()));
    },
  };
};

const toSettingsFor = (
  config: Config,
  providers: Providers['providers'],
  catalogue: ModelCatalogue,
): CompletionDeps['settingsFor'] => {
  const settings = {
    providers: new Set(providers.keys()),
    defaultProvider: config.defaultProvider,
    fullModel: config.fullModel,
    local: chooseLocalRuntime(config),
  };
  return async (model) => {
    const isLocalModel =
      config.local !== undefined &&
      (model === config.local.model || (await catalogue.isOfferedBy('local', model)));
    return { ...settings, isLocalModel };
  };
};

/** The operator's runtime; in development the offline provider counts as local too. */
const chooseLocalRuntime = ({ local, offline }: Config): RouteSettings['local'] => {
  if (local) return { provider: 'local', model: local.model };
  return offline ? { provider: 'offline', model: OFFLINE_MODEL } : undefined;
};
