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
  EventService,
  FactService,
  KnowledgeService,
  MarketService,
  McpServerService,
  MemoryService,
  ModelService,
  PreviewService,
  SettingsService,
  SimulationService,
  ToolService,
  UsageService,
  WebhookService,
} from '@witan/contracts/services';
import { createClient, createSecretCipher, newId, repeatEvery } from '@witan/service-kit';
import type { Client, Database, Host, Service } from '@witan/service-kit';
import type { Config } from './config.ts';
import type { Refusal } from './auth/authenticate.ts';
import { createKeyCache } from './auth/key-cache.ts';
import { recordRefusals } from './auth/record-refusals.ts';
import { trackKeyUses } from './auth/track-key-uses.ts';
import { hashToken } from './console-session/session-cookie.ts';
import { createAuthorize, createCheckKey } from './server/authorize.ts';
import { SIMULATION_WAIT_MS } from './http/call-options.ts';
import { createApp } from './server/create-app.ts';
import { createLimitRate } from './server/limit-rate.ts';
import type { LimitRate } from './server/limit-rate.ts';
import { createLimitStreams } from './server/limit-streams.ts';
import type { LimitStreams } from './server/limit-streams.ts';
import { createLimitUploads } from './server/limit-uploads.ts';
import type { LimitUploads } from './server/limit-uploads.ts';
import { listen } from './server/listen.ts';
import type { Route } from './http/route.ts';
import { createIsCertified, createRunOnce } from './server/run-once.ts';
import { createCallRoute } from './mcp/call-route.ts';
import { createRequestStates } from './mcp/request-state.ts';
import { createMcpRoute } from './mcp/create-mcp-route.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { agentChatRoute } from './resources/agent-chat/agent-chat.ts';
import { memoryRoutes } from './resources/agent-memory/agent-memory.ts';
import { sessionRoutes } from './resources/agent-sessions/agent-sessions.ts';
import { agentRoutes } from './resources/agents/agents.ts';
import { aiCompleteRoute } from './resources/ai/ai-complete.ts';
import { apiKeyRoutes } from './resources/api-keys/api-keys.ts';
import { auditRoute } from './resources/audit/audit.ts';
import { chatCompletionsRoute } from './resources/completions/chat-completions.ts';
import { embeddingsRoute } from './resources/embeddings/embeddings.ts';
import { countTokensRoute, messagesRoute } from './resources/completions/messages.ts';
import { previewRoutes } from './resources/completions/preview.ts';
import { consoleRoutes } from './resources/console/console-sessions.ts';
import { conversationRoutes } from './resources/conversations/conversations.ts';
import { factRoutes } from './resources/extracted-data/extracted-data.ts';
import { knowledgeRoutes } from './resources/knowledge/knowledge.ts';
import { ledgerRoutes } from './resources/ledger/ledger.ts';
import { marketRoutes } from './resources/market-analyses/market-analyses.ts';
import { modelRoute, modelsRoute } from './resources/models/models.ts';
import { proofRoutes } from './resources/proofs/proofs.ts';
import { simulationRoutes } from './resources/simulations/simulations.ts';
import { mcpServerRoutes } from './resources/tools/mcp-servers.ts';
import { toolRoutes } from './resources/tools/tools.ts';
import { usageRoute } from './resources/usage/usage.ts';
import { eventStreamRoute } from './resources/webhooks/event-stream.ts';
import { webhookRoutes } from './resources/webhooks/webhooks.ts';
import { workspaceRoutes } from './resources/workspace/workspace.ts';
import { providersRoute, putProvidersRoute } from './resources/workspace/workspace-providers.ts';
import { createCurrentSite } from './console/read-site.ts';
import { serveConsole } from './console/serve-console.ts';
import { referenceRoutes } from './docs/openapi.ts';
import { createListAudit, createRecordAudit } from './audit/store/audit-store.ts';
import { createIdempotencyStore } from './idempotency/store/idempotency-store.ts';
import { createKeys, findKey } from './auth/store/key-store.ts';
import {
  createConsoleLinks,
  createConsoleSessions,
  deleteExpiredSessions,
  findSession,
} from './console-session/store/console-session-store.ts';
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
/** Maximum memory for all uploads together: four times the maximum size of a file. */
const UPLOAD_BYTES_MAX = 128 * 1024 * 1024;
const DELETE_EVERY_MS = 60_000;

export const createService = async (config: Config, host: Host): Promise<Service> => {
  const llmGateway = host.connect('llm-gateway');
  const ledger = host.connect('ledger');
  const database = await openStorage(config.databaseUrl, host.log);
  const certificates = createClient(CertificateService, ledger);
  const metrics = createMetrics(host.registry);
  const { limitRate, ...routeLimits } = createLimits(config, metrics);
  const keyTracking = trackKeys(database, host, metrics);
  const sessionSweep = sweepSessions(database, host);
  const idempotency = openIdempotency(database, host, config, certificates);
  const routes = [
    ...gatewayRoutes(config, host, database, { ...routeLimits, certificates }),
    ...featureRoutes(config, host, database, routeLimits),
    ...consoleRoutes({
      ...keyTracking,
      sessions: createConsoleSessions(database),
      createLink: createConsoleLinks(database),
      limitRate,
    }),
  ];
  const { runOnce } = idempotency;
  routes.push(
    createMcpRoute({
      routes,
      callRoute: createCallRoute({ runOnce, log: host.log }),
      conversations: createClient(ConversationService, host.connect('agents')),
      certificates,
      states: createRequestStates(createSecretCipher(config.secretsKey), {
        clock: () => new Date(),
        newId,
      }),
      clock: () => new Date(),
      timeoutMs: config.completionTimeoutMs + TURN_MARGIN_MS,
      limitStreams: routeLimits.limitStreams,
      allowedOrigins: config.mcpOrigins,
      log: host.log,
    }),
  );
  const app = createApp({
    routes: [...routes, ...referenceRoutes(routes)],
    console: serveConsole(createCurrentSite(config.consoleFolder)),
    authorize: createAuthorize({ ...keyTracking, limitRate }),
    checkKey: createCheckKey(keyTracking),
    runOnce,
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
      await sessionSweep.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};

type RouteLimits = { limitStreams: LimitStreams; limitUploads: LimitUploads };

/** Creates the routes of completions and of what the api-gateway, llm-gateway and ledger own. */
const gatewayRoutes = (
  { completionTimeoutMs }: Config,
  host: Host,
  database: Database,
  {
    limitStreams,
    certificates,
  }: { limitStreams: LimitStreams; certificates: Client<typeof CertificateService> },
): Route[] => {
  const llmGateway = host.connect('llm-gateway');
  const agentsService = host.connect('agents');
  const completionServices = {
    completions: createClient(CompletionService, llmGateway),
    turns: createClient(AgentTurnService, agentsService),
    knowledge: createClient(KnowledgeService, agentsService),
  };
  const agents = createClient(AgentService, agentsService);
  const modelClients = { models: createClient(ModelService, llmGateway), agents };
  const settings = createClient(SettingsService, llmGateway);
  const memories = createClient(MemoryService, agentsService);
  const workspaces = createWorkspaces(database);
  const clock = (): Date => new Date();
  return [
    limitStreams(chatCompletionsRoute(completionServices, completionTimeoutMs)),
    limitStreams(messagesRoute(completionServices, completionTimeoutMs)),
    embeddingsRoute(completionServices, completionTimeoutMs),
    countTokensRoute({ agents, counting: createClient(CountingService, llmGateway) }),
    ...previewRoutes({
      previews: createClient(PreviewService, llmGateway),
      knowledge: completionServices.knowledge,
      agents,
    }),
    modelsRoute(modelClients),
    modelRoute(modelClients),
    ...workspaceRoutes({ workspaces, settings, memories }),
    providersRoute(settings),
    putProvidersRoute(settings, createRecordAudit(database)),
    ...ledgerRoutes(createClient(AccountService, host.connect('ledger')), workspaces),
    ...proofRoutes(certificates, clock),
    usageRoute(createClient(UsageService, host.connect('ledger'))),
    ...apiKeyRoutes(createKeys(database), clock),
    auditRoute(createListAudit(database)),
  ];
};

/**
 * Creates the routes of the agents, notifier and simulation services. Readiness does not depend on
 * these services, because the other routes work without them.
 */
const featureRoutes = (
  { completionTimeoutMs }: Config,
  host: Host,
  database: Database,
  { limitStreams, limitUploads }: RouteLimits,
): Route[] => {
  const agents = host.connect('agents');
  const notifier = host.connect('notifier');
  const simulation = host.connect('simulation');
  const conversations = createClient(ConversationService, agents);
  const webhooks = createClient(WebhookService, notifier);
  const deliveries = createClient(DeliveryService, notifier);
  const simulations = createClient(SimulationService, simulation);
  const markets = createClient(MarketService, simulation);
  const recordAudit = createRecordAudit(database);
  const timeoutMs = completionTimeoutMs + TURN_MARGIN_MS;
  return [
    ...agentRoutes(createClient(AgentService, agents)),
    ...sessionRoutes(createClient(ChatSessionService, agents)),
    limitStreams(agentChatRoute(createClient(ChatService, agents), timeoutMs)),
    ...memoryRoutes(createClient(MemoryService, agents)),
    aiCompleteRoute(createClient(AssistanceService, agents), timeoutMs),
    ...factRoutes(createClient(FactService, agents)),
    ...conversationRoutes(conversations, timeoutMs, limitStreams),
    ...mcpServerRoutes(createClient(McpServerService, agents), recordAudit),
    ...toolRoutes(createClient(ToolService, agents), recordAudit),
    ...knowledgeRoutes(createClient(KnowledgeService, agents), limitUploads),
    ...webhookRoutes(webhooks, deliveries, recordAudit),
    limitStreams(eventStreamRoute(createClient(EventService, notifier))),
    ...simulationRoutes(simulations, timeoutMs + SIMULATION_WAIT_MS, limitStreams),
    ...marketRoutes(markets, timeoutMs, limitStreams),
  ];
};

/**
 * If the rate limit is disabled, `limitRate` is absent and responses have no `ratelimit` headers.
 */
const createLimits = (
  { rateLimitPerMinute: perMinute, maxStreamsPerKey: max }: Config,
  { onLimited }: Metrics,
): RouteLimits & { limitRate?: LimitRate } => ({
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
  const cache = { ttlMs: KEY_TTL_MS, clock: Date.now };
  const findByHash = createKeyCache(
    (cookieHash) => findSession(database, Buffer.from(cookieHash, 'hex')),
    cache,
  );
  const saving = repeatEvery(KEY_USES_EVERY_MS, uses.flush, onFailure);
  return {
    findKey: createKeyCache((lookupId) => findKey(database, lookupId), cache),
    // Sessions are cached by hash, so that no cookie stays in memory.
    findSession: (cookie: string) => findByHash(hashToken(cookie).toString('hex')),
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

const sweepSessions = (database: Database, { log }: Host) =>
  repeatEvery(
    DELETE_EVERY_MS,
    () => deleteExpiredSessions(database),
    (err) =>
      log.warn(
        { event: 'console_session_sweep_failed', err },
        'Deleting expired console sessions failed, will retry',
      ),
  );

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
    async () => void (await records.deleteExpired()),
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
