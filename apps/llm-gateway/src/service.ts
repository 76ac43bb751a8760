import { OFFLINE_MODEL } from '@witan/contracts';
import type { AnswerSink, CompletionCall } from '@witan/contracts';
import {
  CompletionService,
  CountingService,
  LimitsService,
  ModelService,
  PreviewService,
  SettingsService,
} from '@witan/contracts/services';
import { createDetectorFactory } from '@witan/privacy';
import {
  createGuardedConnector,
  implement,
  newId,
  splitSecretsKeys,
  verifyTargetUrl,
  yieldAfter,
} from '@witan/service-kit';
import type { Call, Host, Log, Service } from '@witan/service-kit';
import { complete } from './completion/complete.ts';
import { openLedger } from './completion/clients/open-ledger.ts';
import type { CompletionDeps } from './completion/completion.ts';
import { createLogAttempt } from './completion/clients/log-attempts.ts';
import {
  createCompletionHandlers,
  createCountingHandlers,
  createPreviewHandlers,
} from './completion/rpc/completions.ts';
import type { Config } from './config.ts';
import { createMaskThread } from './masking/clients/mask-thread.ts';
import type { MaskThread } from './masking/clients/mask-thread.ts';
import { createDetectors, maskJson } from './masking/mask-json.ts';
import { createPrivacy } from './masking/mask-request.ts';
import type { Privacy } from './masking/mask-request.ts';
import { recordCall, createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { openStorage } from './open-storage.ts';
import { createOfflineProvider } from './provider/clients/offline/offline-provider.ts';
import { openOperatorProviders } from './provider/clients/open-operator-providers.ts';
import { createProviderPool } from './provider/clients/provider-pool.ts';
import type { ProviderPool } from './provider/clients/provider-pool.ts';
import { createLocalRuntime } from './provider/local-runtime.ts';
import type { LocalRuntime } from './provider/local-runtime.ts';
import { LOCAL_PROVIDER, OFFLINE_PROVIDER, toTarget } from './provider/provider.ts';
import type { Target } from './provider/provider.ts';
import { listTargets } from './provider/parse-providers-file.ts';
import { createChoices } from './routing/choices.ts';
import type { OperatorModels } from './routing/choices.ts';
import { findProviderOfModel } from './routing/choose-route.ts';
import { createModelCatalogue } from './routing/model-catalogue.ts';
import { createLimitsHandlers } from './routing/rpc/limits.ts';
import { createListModels } from './routing/rpc/list-models.ts';
import { createSchemaSupport } from './provider/schema-support.ts';
import { createSettingsHandlers } from './settings/rpc/settings.ts';
import { createWorkspaceSettings } from './settings/workspace-settings.ts';

/** Milliseconds of a clock that cannot be set, for caches and circuit breakers. */
const monotonic = (): number => performance.now();

const READY_TIMEOUT_MS = 1_000;
const SCAN_CACHE_BYTES = 16 * 1024 * 1024;

export const createService = async (config: Config, host: Host): Promise<Service> => {
  const { log } = host;
  const ledger = host.connect('ledger');
  const writer = openLedger(ledger);
  const { localRuntime, ...pool } = openPool(config);
  const names = [...pool.operator.keys()];
  const storage = await openStorage(config, log);
  const settings = openSettings(config, storage, { names, log });
  const catalogue = createModelCatalogue(
    [...pool.operator.values()].map(({ provider }) => provider),
    { clock: monotonic, onFailure: logListFailure(log) },
  );
  const operator = toOperatorModels(config);
  const choicesFor = createChoices({
    operator,
    providers: pool.operator,
    workspaceAccess: pool.workspaceAccess,
    modelsOf: settings.models,
    catalogue,
  });
  const maskThread = createMaskThread(config);
  const privacy = openPrivacy(config, maskThread);
  const { maxOutputTokens, isMetered, totalTimeoutMs } = config;
  const metrics = createMetrics(host.registry, {
    providers: new Set(names),
    models: new Set(listModelNames(operator)),
  });
  const logAttempt = createLogAttempt(log);
  const completions: CompletionDeps = {
    ledger: writer,
    choicesFor,
    privacy,
    schemas: createSchemaSupport(monotonic),
    maxOutputTokens,
    isMetered,
    totalTimeoutMs,
    yieldAfter,
    onAttempt: (record) => {
      metrics.onAttempt(record);
      logAttempt(record);
    },
    onEnded: reportEnds(metrics, localRuntime),
    onContext: (target, contextTokens) => localRuntime?.onContext(target, contextTokens),
  };
  return {
    implementations: [
      implement(
        CompletionService,
        createCompletionHandlers(completions),
        offerDirectly(completions),
      ),
      implement(CountingService, createCountingHandlers({ choicesFor, privacy })),
      implement(PreviewService, createPreviewHandlers(completions)),
      implement(ModelService, { listModels: createListModels(catalogue, settings.models) }),
      implement(LimitsService, createLimitsHandlers(choicesFor, localRuntime)),
      implement(SettingsService, createSettingsHandlers(settings)),
    ],
    checks: { ledger: () => ledger.ready(READY_TIMEOUT_MS), database: storage.check },
    stop: async () => {
      await writer.close();
      await pool.close();
      await maskThread.close();
      await storage[Symbol.asyncDispose]();
    },
  };
};

const openSettings = (
  { targets: policy }: Config,
  { settings: store }: Awaited<ReturnType<typeof openStorage>>,
  { names, log }: { names: string[]; log: Log },
) =>
  createWorkspaceSettings({
    store,
    checkBaseUrl: ({ url, param }) => verifyTargetUrl(url, { policy, param }),
    operatorProviders: names,
    newVersion: () => newId('ver'),
    clock: monotonic,
    now: () => new Date(),
    onFailure: logReadFailure(log),
  });

/** Returns `complete` for callers in the same process, by the RPC that others call. */
const offerDirectly = (deps: CompletionDeps) => {
  const run = (call: CompletionCall, caller: Call, sink: AnswerSink) =>
    complete(call, caller, sink, deps);
  return { complete: run, completeAs: run };
};

const logReadFailure =
  (log: Log) =>
  (workspaceId: string, err: unknown): void =>
    log.warn(
      { event: 'workspace_settings_read_failed', workspaceId, err },
      'Could not read the model, privacy and provider settings of the workspace',
    );

const logListFailure =
  (log: Log) =>
  (provider: string, err: unknown): void =>
    log.warn(
      { event: 'model_list_failed', provider, err },
      'Could not list the models of the provider',
    );

const reportEnds =
  (metrics: Metrics, localRuntime: LocalRuntime | undefined): CompletionDeps['onEnded'] =>
  (ended) => {
    localRuntime?.onEnded(ended);
    metrics.onEnded(ended);
    recordCall(ended);
  };

const openPrivacy = ({ secretsKey }: Config, { mask: maskInWorker }: MaskThread): Privacy => {
  const detectorFor = createDetectors({
    createDetector: createDetectorFactory(),
    cacheBytes: SCAN_CACHE_BYTES,
  });
  return createPrivacy({
    secretsKey: splitSecretsKeys(secretsKey)[0],
    mask: (task) => maskJson(task, detectorFor),
    maskInWorker,
  });
};

const openPool = (config: Config): ProviderPool & { localRuntime: LocalRuntime | undefined } => {
  const { timeouts, offline } = config;
  const providers = openOperatorProviders(config);
  const local = providers.find(({ name }) => name === LOCAL_PROVIDER);
  const localRuntime = local && createLocalRuntime(local.readJson, monotonic);
  const pool = createProviderPool({
    operator: [...providers, ...(offline ? [createOfflineProvider()] : [])],
    operatorSecrets: listSecrets(config),
    timeouts,
    guardedConnect: createGuardedConnector({
      policy: config.targets,
      timeoutMs: timeouts.connectMs,
    }),
    clock: monotonic,
  });
  return { ...pool, localRuntime };
};

const listSecrets = ({ openai, anthropic, listed }: Config): string[] => {
  const accounts = [openai?.apiKey, openai?.organization, openai?.project, anthropic?.apiKey];
  return [...accounts, ...listed.map(({ apiKey }) => apiKey)].flatMap((secret) => secret ?? []);
};

const toOperatorModels = (config: Config): OperatorModels => ({
  full: toModelTargets(config.fullModel, config),
  cheap: toModelTargets(config.cheapModel, config),
  small: toModelTargets(config.smallModel, config),
  local: chooseLocalRuntime(config),
  localModel: config.local?.model,
  listed: listTargets(config.listed),
  embedding: config.embeddingModel ? toModelTargets(config.embeddingModel, config) : [],
  localEmbedding: chooseLocalEmbedding(config),
});

const listModelNames = ({
  full,
  cheap,
  small,
  local,
  listed,
  embedding,
  localEmbedding,
}: OperatorModels): string[] => [
  ...[...full, ...cheap, ...small, ...(local ? [local] : [])].map(({ model }) => model),
  ...listed.keys(),
  ...[...embedding, ...(localEmbedding ? [localEmbedding] : [])].map(({ model }) => model),
];

const toModelTargets = (model: string, config: Config): readonly Target[] => {
  const listed = listTargets(config.listed).get(model);
  if (listed) return listed;
  if (model === config.local?.embeddingModel) return [toTarget(LOCAL_PROVIDER, model)];
  const impliedProvider = findProviderOfModel(model);
  const isConfigured =
    config.listed.some(({ name }) => name === impliedProvider) ||
    (impliedProvider === 'openai' ? config.openai : impliedProvider && config.anthropic);
  const provider = impliedProvider && isConfigured ? impliedProvider : config.defaultProvider;
  return [toTarget(provider, model)];
};

/**
 * Returns the local target. The offline provider counts as local only if no hosted provider is
 * configured, because it must not replace one.
 */
const chooseLocalRuntime = (config: Config): Target | undefined => {
  const { local, offline, openai, anthropic, listed } = config;
  if (local) return toTarget(LOCAL_PROVIDER, local.model);
  const isOnlyProvider = offline && !openai && !anthropic && listed.length === 0;
  return isOnlyProvider ? toTarget(OFFLINE_PROVIDER, OFFLINE_MODEL) : undefined;
};

/** Returns the local target of embeddings; undefined if the local runtime makes none. */
const chooseLocalEmbedding = (config: Config): Target | undefined => {
  if (!config.local) return chooseLocalRuntime(config);
  const { embeddingModel } = config.local;
  return embeddingModel ? toTarget(LOCAL_PROVIDER, embeddingModel) : undefined;
};
