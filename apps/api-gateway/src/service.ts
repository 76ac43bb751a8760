import {
  AccountService,
  AgentService,
  AgentTurnService,
  AssistanceService,
  CertificateService,
  ChatService,
  ChatSessionService,
  CompletionService,
  ConversationService,
  CountingService,
  DeliveryService,
  FactService,
  KnowledgeService,
  MarketService,
  MemoryService,
  ModelService,
  SettingsService,
  SimulationService,
  ToolService,
  WebhookService,
} from '@witan/contracts/services';
import { createClient, createSecretCipher, newId, repeatEvery } from '@witan/service-kit';
import type { Client, Database, Host, Service } from '@witan/service-kit';
import type { Config } from './config.ts';
import { deleteExpired } from './idempotency/delete-expired.ts';
import type { RecordAudit } from './audit/audit.ts';
import type { Refusal } from './auth/authenticate.ts';
import { createKeyCache } from './auth/key-cache.ts';
import { recordRefusals } from './auth/record-refusals.ts';
import { trackKeyUses } from './auth/track-key-uses.ts';
import { createAuthorize, createCheckKey } from './server/authorize.ts';
import { SIMULATION_WAIT_MS } from './http/call-timeout.ts';
import { createApp } from './server/create-app.ts';
import { createIsCertified } from './http/is-certified.ts';
import { createLimitRate } from './server/limit-rate.ts';
import type { LimitRate } from './server/limit-rate.ts';
import { createLimitStreams } from './server/limit-streams.ts';
import type { LimitStreams } from './server/limit-streams.ts';
import { createLimitUploads } from './server/limit-uploads.ts';
import type { LimitUploads } from './server/limit-uploads.ts';
import { listen } from './server/listen.ts';
import type { Route } from './http/route.ts';
import { createRunOnce } from './server/run-once.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { agentChatRoute } from './resources/agent-chat/agent-chat.ts';
import {
  deleteMemoryRoute,
  memoriesRoute,
  saveMemoriesRoute,
} from './resources/agent-memory/agent-memory.ts';
import {
  createSessionRoute,
  deleteSessionRoute,
  sessionRoute,
  sessionsRoute,
} from './resources/agent-sessions/agent-sessions.ts';
import { agentToolsRoute, linkToolRoute, unlinkToolRoute } from './resources/tools/agent-tools.ts';
import { agentRoute, deleteAgentRoute, updateAgentRoute } from './resources/agents/agent.ts';
import { agentsRoute, createAgentRoute } from './resources/agents/agents.ts';
import { aiCompleteRoute } from './resources/ai/ai-complete.ts';
import { revokeApiKeyRoute, rotateApiKeyRoute } from './resources/api-keys/api-key.ts';
import { apiKeysRoute, createApiKeyRoute } from './resources/api-keys/api-keys.ts';
import { chatCompletionsRoute } from './resources/completions/chat-completions.ts';
import { exportProofsRoute } from './resources/proofs/export-proofs.ts';
import { conversationRoutes } from './resources/conversations/conversation-routes.ts';
import {
  deleteFactRoute,
  factRoute,
  factsRoute,
} from './resources/extracted-data/extracted-data.ts';
import { balanceRoute, creditsRoute, entriesRoute } from './resources/ledger/ledger.ts';
import { countTokensRoute, messagesRoute } from './resources/completions/messages.ts';
import { marketRoutes } from './resources/market-analyses/market-analyses.ts';
import { modelRoute, modelsRoute } from './resources/models/models.ts';
import { referenceRoutes } from './docs/openapi.ts';
import { knowledgeRoutes } from './resources/knowledge/knowledge-routes.ts';
import { proofRoute, proofsRoute, verifyProofRoute } from './resources/proofs/proofs.ts';
import { publicKeyRoute } from './resources/proofs/public-key.ts';
import { simulationRoutes } from './resources/simulations/simulation-routes.ts';
import { providersRoute, putProvidersRoute } from './resources/workspace/workspace-providers.ts';
import { putWorkspaceRoute, workspaceRoute } from './resources/workspace/workspace.ts';
import {
  deleteToolRoute,
  rotateToolSecretRoute,
  testToolRoute,
  toolRoute,
  updateToolRoutes,
} from './resources/tools/tool.ts';
import { createToolRoute, toolsRoute } from './resources/tools/tools.ts';
import {
  deliveriesRoute,
  redeliverRoute,
  testWebhookRoute,
} from './resources/webhooks/webhook-deliveries.ts';
import { webhookEventsRoute } from './resources/webhooks/webhook-events.ts';
import {
  deleteWebhookRoute,
  rotateWebhookSecretRoute,
  updateWebhookRoutes,
  webhookRoute,
} from './resources/webhooks/webhook.ts';
import { createWebhookRoute, webhooksRoute } from './resources/webhooks/webhooks.ts';
import { createRecordAudit } from './audit/store/audit-store.ts';
import { createIdempotencyStore } from './idempotency/store/idempotency-store.ts';
import { createKeys, findKey } from './auth/store/key-store.ts';
import { createSaveKeyUses } from './auth/store/key-use-store.ts';
import { openStorage } from './open-storage.ts';
import { createWorkspaces } from './auth/store/workspace-store.ts';

/** Lifetime of a cached API key: a revoked key is accepted for at most this time. */
const KEY_TTL_MS = 3_000;
const KEY_USES_EVERY_MS = 5_000;
const READY_TIMEOUT_MS = 1_000;
/** Time for the tool calls and further model calls of a chat turn, beyond its first completion. */
const TURN_MARGIN_MS = 90_000;
/**
 * Added to the completion timeout to get the lease of an idempotent call, so that the lease
 * outlasts the longest call and its reservation.
 */
const LEASE_MARGIN_MS = TURN_MARGIN_MS + SIMULATION_WAIT_MS + 60_000;
/** Maximum memory for all uploads together: four of the maximum size. */
const UPLOAD_BYTES_MAX = 128 * 1024 * 1024;
const DELETE_EVERY_MS = 60_000;

export const createService = async (config: Config, host: Host): Promise<Service> => {
  const llmGateway = host.connect('llm-gateway');
  const ledger = host.connect('ledger');
  const database = await openStorage(config.databaseUrl, host.log);
  const accounts = createClient(AccountService, ledger);
  const certificates = createClient(CertificateService, ledger);
  const agents = host.connect('agents');
  const completionServices = {
    completions: createClient(CompletionService, llmGateway),
    turns: createClient(AgentTurnService, agents),
    knowledge: createClient(KnowledgeService, agents),
  };
  const modelClients = {
    models: createClient(ModelService, llmGateway),
    agents: createClient(AgentService, agents),
  };
  const settings = createClient(SettingsService, llmGateway);
  const workspaces = createWorkspaces(database);
  const workspaceDeps = { workspaces, settings, memories: createClient(MemoryService, agents) };
  const keys = createKeys(database);
  const clock = (): Date => new Date();
  const metrics = createMetrics(host.registry);
  const { limitRate, limitStreams, limitUploads } = createLimits(config, metrics);
  const keyTracking = trackKeys(database, host, metrics);
  const idempotency = openIdempotency(database, host, config, certificates);
  const routes: Route[] = [
    limitStreams(chatCompletionsRoute(completionServices, config.completionTimeoutMs)),
    limitStreams(messagesRoute(completionServices, config.completionTimeoutMs)),
    countTokensRoute({ ...modelClients, counting: createClient(CountingService, llmGateway) }),
    modelsRoute(modelClients),
    modelRoute(modelClients),
    workspaceRoute(workspaceDeps),
    putWorkspaceRoute(workspaceDeps),
    providersRoute(settings),
    putProvidersRoute(settings, createRecordAudit(database)),
    ...ledgerRoutes({ accounts, certificates, workspaces, clock }),
    createApiKeyRoute(keys, clock),
    apiKeysRoute(keys),
    revokeApiKeyRoute(keys),
    rotateApiKeyRoute(keys, clock),
    ...agentRoutes(host, config.completionTimeoutMs + TURN_MARGIN_MS, limitStreams),
    ...toolRoutes(host, createRecordAudit(database)),
    ...knowledgeRoutes(completionServices.knowledge, limitUploads),
    ...webhookRoutes(host, createRecordAudit(database)),
    ...simulationServiceRoutes(host, config.completionTimeoutMs + TURN_MARGIN_MS, limitStreams),
  ];
  const app = createApp({
    routes: [...routes, ...referenceRoutes(routes)],
    authorize: createAuthorize({ ...keyTracking, limitRate }),
    checkKey: createCheckKey(keyTracking),
    runOnce: idempotency.runOnce,
    log: host.log,
    onFinished: metrics.onFinished,
  });
  const http = await listen(app, { ...config, onStalled: metrics.onStalled });
  return {
    implementations: [],
    http,
    checks: {
      database: database.check,
      'llm-gateway': () => llmGateway.ready(READY_TIMEOUT_MS),
      ledger: () => ledger.ready(READY_TIMEOUT_MS),
    },
    stop: async () => {
      await idempotency.stop();
      await keyTracking.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};

type LedgerDeps = {
  accounts: Client<typeof AccountService>;
  certificates: Client<typeof CertificateService>;
  workspaces: ReturnType<typeof createWorkspaces>;
  clock: () => Date;
};

const ledgerRoutes = ({ accounts, certificates, workspaces, clock }: LedgerDeps): Route[] => [
  balanceRoute(accounts),
  entriesRoute(accounts),
  creditsRoute(accounts, workspaces),
  proofsRoute(certificates),
  exportProofsRoute(certificates),
  proofRoute(certificates),
  verifyProofRoute(certificates, clock),
  publicKeyRoute(certificates),
];

/**
 * Creates the routes of the agents service. Readiness does not depend on that service, because the
 * other routes work without it.
 */
const agentRoutes = (host: Host, timeoutMs: number, limitStreams: LimitStreams): Route[] => {
  const service = host.connect('agents');
  const agents = createClient(AgentService, service);
  const sessions = createClient(ChatSessionService, service);
  const memories = createClient(MemoryService, service);
  const facts = createClient(FactService, service);
  return [
    createAgentRoute(agents),
    agentsRoute(agents),
    agentRoute(agents),
    updateAgentRoute(agents),
    deleteAgentRoute(agents),
    createSessionRoute(sessions),
    sessionsRoute(sessions),
    sessionRoute(sessions),
    deleteSessionRoute(sessions),
    limitStreams(agentChatRoute(createClient(ChatService, service), timeoutMs)),
    saveMemoriesRoute(memories),
    memoriesRoute(memories),
    deleteMemoryRoute(memories),
    aiCompleteRoute(createClient(AssistanceService, service), timeoutMs),
    factsRoute(facts),
    factRoute(facts),
    deleteFactRoute(facts),
    ...conversationRoutes(createClient(ConversationService, service), timeoutMs, limitStreams),
  ];
};

const toolRoutes = (host: Host, recordAudit: RecordAudit): Route[] => {
  const tools = createClient(ToolService, host.connect('agents'));
  return [
    createToolRoute(tools, recordAudit),
    toolsRoute(tools),
    toolRoute(tools),
    ...updateToolRoutes(tools),
    deleteToolRoute(tools, recordAudit),
    rotateToolSecretRoute(tools, recordAudit),
    testToolRoute(tools),
    linkToolRoute(tools),
    agentToolsRoute(tools),
    unlinkToolRoute(tools),
  ];
};

const webhookRoutes = (host: Host, recordAudit: RecordAudit): Route[] => {
  const notifier = host.connect('notifier');
  const webhooks = createClient(WebhookService, notifier);
  const deliveries = createClient(DeliveryService, notifier);
  return [
    createWebhookRoute(webhooks, recordAudit),
    webhooksRoute(webhooks),
    webhookRoute(webhooks),
    ...updateWebhookRoutes(webhooks),
    deleteWebhookRoute(webhooks, recordAudit),
    rotateWebhookSecretRoute(webhooks, recordAudit),
    testWebhookRoute(deliveries),
    deliveriesRoute(deliveries),
    redeliverRoute(deliveries),
    webhookEventsRoute(),
  ];
};

const simulationServiceRoutes = (
  host: Host,
  timeoutMs: number,
  limitStreams: LimitStreams,
): Route[] => {
  const service = host.connect('simulation');
  const simulations = createClient(SimulationService, service);
  return [
    ...simulationRoutes(simulations, timeoutMs + SIMULATION_WAIT_MS, limitStreams),
    ...marketRoutes(createClient(MarketService, service), timeoutMs, limitStreams),
  ];
};

/**
 * If the rate limit is disabled, `limitRate` is absent and responses have no `ratelimit` headers.
 */
const createLimits = (
  { rateLimitPerMinute: perMinute, maxStreamsPerKey: max }: Config,
  { onLimited }: Metrics,
): { limitRate?: LimitRate; limitStreams: LimitStreams; limitUploads: LimitUploads } => ({
  ...(perMinute > 0 && {
    limitRate: createLimitRate({
      perMinute,
      clock: () => Math.floor(performance.now()),
      onRefused: () => onLimited('rate'),
    }),
  }),
  limitStreams:
    max > 0 ? createLimitStreams({ max, onRefused: () => onLimited('streams') }) : (route) => route,
  limitUploads: createLimitUploads({
    bytesMax: UPLOAD_BYTES_MAX,
    onRefused: () => onLimited('uploads'),
  }),
});

const trackKeys = (database: Database, { log }: Host, metrics: Metrics) => {
  const onFailure = (err: unknown): void =>
    log.warn(
      { event: 'key_uses_save_failed', err },
      'Could not save the last uses of API keys, they stay pending',
    );
  const save = createSaveKeyUses(database);
  const uses = trackKeyUses({ save, clock: Date.now, onFailure });
  const refusals = recordRefusals({
    recordAudit: createRecordAudit(database),
    clock: Date.now,
    defer: setImmediate,
    onFailure: (err) =>
      log.error(
        { event: 'key_refusal_audit_failed', err },
        'Could not write the audit entries of refused API keys',
      ),
  });
  const saving = repeatEvery(KEY_USES_EVERY_MS, uses.flush, onFailure);
  return {
    findKey: createKeyCache((lookupId) => findKey(database, lookupId), {
      ttlMs: KEY_TTL_MS,
      clock: Date.now,
    }),
    onUsed: uses.record,
    onRefused: (refusal: Refusal): void => {
      metrics.onKeyRefused(refusal.reason);
      refusals.record(refusal);
    },
    stop: async (): Promise<void> => {
      await saving.stop();
      await Promise.all([uses.flush(), refusals.flush()]);
    },
  };
};

const openIdempotency = (
  database: Database,
  { log }: Host,
  { secretsKey, completionTimeoutMs }: Config,
  certificates: Client<typeof CertificateService>,
) => {
  const records = createIdempotencyStore(database, createSecretCipher(secretsKey));
  const idempotency = createRunOnce({
    records,
    isCertified: createIsCertified(certificates),
    newId,
    leaseMs: completionTimeoutMs + LEASE_MARGIN_MS,
    log,
  });
  const deleting = repeatEvery(
    DELETE_EVERY_MS,
    () => deleteExpired(records.deleteExpired),
    (err) =>
      log.warn(
        { event: 'idempotency_sweep_failed', err },
        'Deleting expired idempotency records failed, will retry',
      ),
  );
  return {
    runOnce: idempotency.runOnce,
    stop: async (): Promise<void> => {
      await Promise.all([idempotency.stop(), deleting.stop()]);
    },
  };
};
