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
  LogService,
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
import type { Complete } from '@witan/contracts';
import { connectCompletion } from '@witan/dialects';
import { createClient, createSecretCipher, newId } from '@witan/service-kit';
import type { Client, Database, Host, Transport } from '@witan/service-kit';
import type { Config } from './config.ts';
import { SIMULATION_WAIT_MS, TURN_MARGIN_MS } from './http/route.ts';
import type { Edge } from './server/run-route.ts';
import type { Route } from './http/route.ts';
import { createCallRoute } from './mcp/call-route.ts';
import { createMcpRoute } from './mcp/create-mcp-route.ts';
import { createRequestStates } from './mcp/request-state.ts';
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
import { compactResponseRoute } from './resources/completions/compact-response.ts';
import type { ResponseStore } from './stored-response/stored-response.ts';
import type { BackgroundOptions } from './resources/completions/serve-background.ts';
import { responsesRoute } from './resources/completions/responses.ts';
import { storedResponseRoutes } from './resources/stored-responses/stored-responses.ts';
import { conversationRoutes } from './resources/conversations/conversations.ts';
import { factRoutes } from './resources/extracted-data/extracted-data.ts';
import { knowledgeRoutes } from './resources/knowledge/knowledge.ts';
import { ledgerRoutes } from './resources/ledger/ledger.ts';
import { logRoutes } from './resources/log/log.ts';
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
import { createListAudit, createRecordAudit } from './audit/store/audit-store.ts';
import { createKeys } from './auth/store/key-store.ts';
import { createWorkspaces } from './auth/store/workspace-store.ts';

/** Creates the routes of completions and of what the api-gateway, llm-gateway and ledger own. */
export const gatewayRoutes = (
  { completionTimeoutMs }: Config,
  host: Host,
  database: Database,
  {
    certificates,
    background,
  }: {
    certificates: Client<typeof CertificateService>;
    background: Omit<BackgroundOptions, 'timeoutMs'> & {
      storing: Pick<ResponseStore, 'findInput' | 'remove'> & BackgroundOptions['storing'];
    };
  },
): Route[] => {
  const llmGateway = host.connect('llm-gateway');
  const agentsService = host.connect('agents');
  const completionServices = {
    complete: connectModels(llmGateway),
    turns: createClient(AgentTurnService, agentsService),
    knowledge: createClient(KnowledgeService, agentsService),
  };
  const agents = createClient(AgentService, agentsService);
  const modelClients = { models: createClient(ModelService, llmGateway), agents };
  const settings = createClient(SettingsService, llmGateway);
  const memories = createClient(MemoryService, agentsService);
  const workspaces = createWorkspaces(database);
  const recordAudit = createRecordAudit(database);
  const clock = (): Date => new Date();
  return [
    chatCompletionsRoute(completionServices, completionTimeoutMs),
    messagesRoute(completionServices, completionTimeoutMs),
    embeddingsRoute(completionServices, completionTimeoutMs),
    responsesRoute(completionServices, { ...background, timeoutMs: completionTimeoutMs }),
    compactResponseRoute(completionServices, {
      storing: background.storing,
      timeoutMs: completionTimeoutMs,
    }),
    countTokensRoute({ agents, counting: createClient(CountingService, llmGateway) }),
    ...previewRoutes({
      previews: createClient(PreviewService, llmGateway),
      knowledge: completionServices.knowledge,
      agents,
    }),
    ...storedResponseRoutes(background.storing, recordAudit),
    modelsRoute(modelClients),
    modelRoute(modelClients),
    ...workspaceRoutes({ workspaces, settings, memories, recordAudit }),
    providersRoute(settings),
    putProvidersRoute(settings, recordAudit),
    ...ledgerRoutes(createClient(AccountService, host.connect('ledger')), workspaces),
    ...proofRoutes(certificates, clock),
    ...logRoutes(createClient(LogService, host.connect('ledger'))),
    usageRoute(createClient(UsageService, host.connect('ledger'))),
    ...apiKeyRoutes(createKeys(database), clock),
    auditRoute(createListAudit(database)),
  ];
};

/**
 * Creates the routes of the agents, notifier and simulation services. Readiness does not depend on
 * these services, because the other routes work without them.
 */
export const featureRoutes = (
  { completionTimeoutMs }: Config,
  host: Host,
  database: Database,
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
    ...agentRoutes(createClient(AgentService, agents), recordAudit),
    ...sessionRoutes(createClient(ChatSessionService, agents)),
    agentChatRoute(createClient(ChatService, agents), timeoutMs),
    ...memoryRoutes(createClient(MemoryService, agents)),
    aiCompleteRoute(createClient(AssistanceService, agents), timeoutMs),
    ...factRoutes(createClient(FactService, agents)),
    ...conversationRoutes(conversations, timeoutMs),
    ...mcpServerRoutes(createClient(McpServerService, agents), recordAudit),
    ...toolRoutes(createClient(ToolService, agents), recordAudit),
    ...knowledgeRoutes(createClient(KnowledgeService, agents), recordAudit),
    ...webhookRoutes(webhooks, deliveries, recordAudit),
    eventStreamRoute(createClient(EventService, notifier)),
    ...simulationRoutes(simulations, timeoutMs + SIMULATION_WAIT_MS),
    ...marketRoutes(markets, timeoutMs),
  ];
};

/** Returns the routes and the MCP endpoint, whose tools call some of them. */
export const joinMcpRoute = (
  { completionTimeoutMs, secretsKey, mcpOrigins }: Config,
  host: Host,
  edge: Pick<Edge, 'limits' | 'runOnce' | 'log'>,
  certificates: Client<typeof CertificateService>,
  routes: readonly Route[],
): Route[] => {
  const clock = (): Date => new Date();
  const mcpRoute = createMcpRoute({
    routes,
    callRoute: createCallRoute(edge),
    conversations: createClient(ConversationService, host.connect('agents')),
    certificates,
    states: createRequestStates(createSecretCipher(secretsKey), { clock, newId }),
    clock,
    timeoutMs: completionTimeoutMs + TURN_MARGIN_MS,
    takeStream: edge.limits.takeStream,
    allowedOrigins: mcpOrigins,
    log: edge.log,
  });
  return [...routes, mcpRoute];
};

const connectModels = (llmGateway: Transport): Complete => {
  const completions = createClient(CompletionService, llmGateway);
  return connectCompletion({
    direct: (kind) => llmGateway.direct?.(CompletionService.method[kind]),
    complete: completions.complete,
  });
};
