import { randomBytes } from 'node:crypto';
import type { Complete } from '@witan/contracts';
import {
  AgentService,
  AgentTurnService,
  AssistanceService,
  ChatService,
  ChatSessionService,
  LimitsService,
  ConversationService,
  FactService,
  KnowledgeService,
  McpServerService,
  MemoryService,
  PanelService,
  ToolService,
} from '@witan/contracts/services';
import {
  createChannel,
  createClient,
  createPermits,
  implement,
  newId,
  verifyTargetUrl,
} from '@witan/service-kit';
import type { GuardedClientOptions, Host, Service } from '@witan/service-kit';
import { createOpenCall, createOpenUndelivered } from '@witan/dialects';
import type { AskModel } from '@witan/dialects';
import { connectModels, createAskModel } from './completion/clients/ask-model.ts';
import { createLimitsOf } from './completion/clients/limits-of.ts';
import { withSecondAttempt } from './completion/with-second-attempt.ts';
import { createPostTool, TOOL_TIMEOUT_MS } from './tool/clients/post-tool.ts';
import {
  BACKGROUND_DOCUMENT_READER,
  createDocumentReader,
} from './knowledge/clients/create-document-reader.ts';
import { openSchemaThread } from './tool/clients/schema-thread.ts';
import { openSimilarity } from './knowledge/clients/open-similarity.ts';
import type { Config } from './config.ts';
import { createAgents } from './agent/agents.ts';
import type { Agents } from './agent/agents.ts';
import type { ChatDeps } from './chat/chat.ts';
import { createPrepareChat } from './chat/prepare-chat.ts';
import { createSessions } from './session/sessions.ts';
import { createSummarizeSession } from './session/summarize-session.ts';
import { createConversations } from './debate/conversation/conversations.ts';
import { createAskSynthesizer } from './debate/synthesis/ask-synthesizer.ts';
import { createLocalDebates } from './debate/runner/local-debates.ts';
import { createFrameQuestion } from './debate/frame-question.ts';
import { openDebateRunner } from './debate/runner/open-debate-runner.ts';
import type { DebateRunnerDeps } from './debate/runner/open-debate-runner.ts';
import { createStartDebate } from './debate/start-debate.ts';
import { createConversationHandlers, createDebateHandlers } from './debate/rpc/conversations.ts';
import { createPanelHandlers } from './debate/rpc/panels.ts';
import { createExtractFacts } from './extraction/extract-facts.ts';
import type { ExtractFacts } from './extraction/extract-facts.ts';
import { createFacts } from './extraction/facts.ts';
import { createAddDocument } from './knowledge/add-document.ts';
import { createKnowledge } from './knowledge/knowledge.ts';
import { openDocumentWorker } from './knowledge/clients/open-document-worker.ts';
import type { Retrieve } from './knowledge/passage.ts';
import { createRetrieve, createSearchKnowledge } from './knowledge/retrieve.ts';
import { createUploadBuffer } from './knowledge/upload-buffer.ts';
import { openMcpTools } from './mcp-server/clients/open-mcp-tools.ts';
import { createMcpServerHandlers } from './mcp-server/rpc/mcp-servers.ts';
import { createMemories } from './memory/memories.ts';
import { createRunTool, createTestTool } from './tool/run-tool.ts';
import { SECRET_BYTES, createTools } from './tool/tools.ts';
import type { RunTool } from './tool/tool.ts';
import type { GatewayTurnDeps } from './turn/run-gateway-turn.ts';
import { createTokenRatios } from './prompt/estimate-tokens.ts';
import { createAgentHandlers } from './agent/rpc/agents.ts';
import { createAssistHandlers } from './assist/rpc/assist.ts';
import { createChatHandlers } from './chat/rpc/chat.ts';
import { createFactHandlers } from './extraction/rpc/facts.ts';
import { createKnowledgeHandlers } from './knowledge/rpc/knowledge.ts';
import { createMemoryHandlers } from './memory/rpc/memories.ts';
import { createSessionHandlers } from './session/rpc/sessions.ts';
import { createToolHandlers } from './tool/rpc/tools.ts';
import { createTurnHandlers } from './turn/rpc/turn.ts';
import {
  countDebates,
  createCallRecorder,
  createDebateFailureLog,
  createDocumentFailureLog,
  createEmbeddingReport,
  createFactFailureLog,
  createRejectedTagsLog,
  createSummaryFailureLog,
  createMetrics,
} from './metrics.ts';
import { openStorage } from './open-storage.ts';
import type { Storage } from './open-storage.ts';

const clock = (): Date => new Date();

export type Overrides = {
  debateLeaseMs?: number;
  debatePollIntervalMs?: number;
  toolTimeoutMs?: number;
  lookup?: GuardedClientOptions['lookup'];
  /** Clock by which the age of an MCP server's list of tools is measured. */
  mcpClock?: () => Date;
  documentLeaseMs?: number;
  documentPollIntervalMs?: number;
  staleDelayMs?: number;
  uploadBytesMax?: number;
  /** PEM certificate of the authority that signed the TLS certificates of the tools' servers. */
  ca?: string;
};

export const createService = async (
  config: Config,
  host: Host,
  overrides: Overrides = {},
): Promise<Service> => {
  const llmGateway = host.connect('llm-gateway');
  const { secretsKey, completionTimeoutMs: timeoutMs, toolRoundsMax } = config;
  const storage = await openStorage(config.databaseUrl, host.log, { newId, clock, secretsKey });
  const { events, log, registry } = host;
  const relay = storage.startRelay({ events, source: 'agents', log, registry });
  const tools = openTools(config, { host, storage }, overrides);
  const agents = createAgents({ store: storage.agents, newId, clock });
  const memories = createMemories({ agents, store: storage.memories, newId });
  const sessions = createSessions({ agents, store: storage.sessions, newId, clock });
  const complete = connectModels(llmGateway);
  const knowledge = openKnowledge(config, { host, storage }, complete, overrides);
  const calls = { complete, createQueue: createChannel, timeoutMs };
  const openCall = withSecondAttempt(createOpenCall(calls), newId);
  const openUndelivered = createOpenUndelivered(calls);
  const askModel = createAskModel(withSecondAttempt(openUndelivered, newId));
  const limitsOf = createLimitsOf(createClient(LimitsService, llmGateway), config, host.log);
  const extractFacts = createExtractFacts({
    askModel,
    limitsOf,
    store: storage.facts,
    newId,
    onFailure: createFactFailureLog(host.log),
  });
  const models = { openCall, askModel, extractFacts, limitsOf, toolRoundsMax };
  const turns = createTurns(models, { host, storage, agents, ...tools, ...knowledge });
  const debates = openDebates(config, host, { ...turns, ...models, storage }, overrides);
  return {
    implementations: [
      ...debates.implementations,
      implement(AgentService, createAgentHandlers(agents)),
      implement(MemoryService, createMemoryHandlers(memories, storage.memoryPolicies)),
      implement(FactService, createFactHandlers(createFacts(storage.facts))),
      implement(AssistanceService, createAssistHandlers({ ...models, newId })),
      implement(ChatSessionService, createSessionHandlers(sessions)),
      implement(ChatService, createChatHandlers(turns)),
      implement(AgentTurnService, createTurnHandlers(turns)),
      ...tools.implementations,
      knowledge.implementation,
    ],
    checks: {
      database: storage.check,
      'llm-gateway': () => llmGateway.ready(READY_TIMEOUT_MS),
    },
    stop: async () => {
      await debates.stop();
      await knowledge.close();
      await tools.close();
      await relay.stop();
      await storage[Symbol.asyncDispose]();
    },
  };
};

const READY_TIMEOUT_MS = 1_000;
/** Maximum number of conversation debates of a workspace that run in one process. */
const DEBATES_MAX = 64;

const openTools = (
  { targets: policy }: Config,
  { host: { log, registry }, storage }: Pick<TurnParts, 'host' | 'storage'>,
  { lookup, ca, toolTimeoutMs: timeoutMs = TOOL_TIMEOUT_MS, mcpClock = clock }: Overrides,
) => {
  const validator = openSchemaThread();
  const metrics = createMetrics(registry);
  const endpoints = createPostTool({ policy, lookup, ca, timeoutMs });
  const tools = createTools({
    store: storage.tools,
    links: storage.toolLinks,
    validator,
    checkUrl: (url) => verifyTargetUrl(url, { policy, lookup }),
    newId,
    newSecretBytes: () => randomBytes(SECRET_BYTES),
    clock,
  });
  const mcp = openMcpTools(
    {
      store: storage.mcpServers,
      findEndpoint: storage.findMcpEndpoint,
      validator,
      checkUrl: (url) => verifyTargetUrl(url, { policy, lookup }),
      ids: { newId, clock: mcpClock },
      log,
    },
    { policy, lookup, ca, timeoutMs },
  );
  const runToolDeps = {
    findTarget: storage.findToolTarget,
    validator,
    post: endpoints.post,
    runMcp: mcp.runMcp,
    now: () => performance.now(),
    onCalled: createCallRecorder({ metrics, log, saveMcpCall: storage.saveMcpCall }),
  };
  return {
    implementations: [
      implement(ToolService, createToolHandlers(tools, createTestTool(runToolDeps))),
      implement(McpServerService, createMcpServerHandlers(mcp.servers)),
    ],
    runTool: createRunTool(runToolDeps),
    close: async () => {
      await endpoints.close();
      await mcp.close();
      await validator.close();
    },
  };
};

const openKnowledge = (
  { embeddingModel: model }: Config,
  { host: { log, registry }, storage }: Pick<TurnParts, 'host' | 'storage'>,
  complete: Complete,
  { documentLeaseMs: leaseMs, documentPollIntervalMs: pollIntervalMs, ...limits }: Overrides,
) => {
  const reader = createDocumentReader();
  // A second reader, so that queued documents and direct uploads do not wait for each other.
  const background = createDocumentReader(BACKGROUND_DOCUMENT_READER);
  const worker = openDocumentWorker({
    queue: storage.documentQueue,
    readDocument: background.readDocument,
    purge: storage.purgeKnowledge,
    newId,
    leaseMs,
    pollIntervalMs,
    onFailure: createDocumentFailureLog(log),
  });
  const { wake } = worker;
  const knowledge = createKnowledge({ store: storage.knowledge, onDeleted: wake, newId, clock });
  const addDocument = createAddDocument({
    store: storage.documents,
    readDocument: reader.readDocument,
    onQueued: wake,
    newId,
    clock,
  });
  const similarity = openSimilarity({
    complete,
    model,
    vectorsOf: storage.vectorsOf,
    report: createEmbeddingReport(log, registry),
    newId,
    pollIntervalMs,
    staleDelayMs: limits.staleDelayMs,
  });
  const retrieve = createRetrieve(storage.knowledgeSearch, similarity);
  return {
    retrieve,
    implementation: implement(
      KnowledgeService,
      createKnowledgeHandlers({
        knowledge,
        addDocument,
        buffer: createUploadBuffer(limits.uploadBytesMax),
        search: createSearchKnowledge(retrieve),
        retrieve,
      }),
    ),
    close: async () => {
      await similarity?.stop();
      await worker.stop();
      await Promise.all([reader.close(), background.close()]);
    },
  };
};

type Models = Pick<GatewayTurnDeps, 'openCall' | 'limitsOf'> & {
  askModel: AskModel;
  extractFacts: ExtractFacts;
  toolRoundsMax: number;
};
type TurnParts = {
  host: Host;
  storage: Storage;
  agents: Agents;
  runTool: RunTool;
  retrieve: Retrieve;
};

const createTurns = (
  { askModel, ...models }: Models,
  { host, storage, agents, runTool, retrieve }: TurnParts,
): ChatDeps & GatewayTurnDeps => {
  const ratios = createTokenRatios();
  const summarize = createSummarizeSession({
    askModel,
    save: storage.sessions.saveSummary,
    newId,
    onFailure: createSummaryFailureLog(host.log),
  });
  return {
    ...models,
    agents,
    newId,
    clock,
    recall: storage.recall,
    saveMemories: storage.saveMemories,
    mayShareMemories: async (workspaceId) =>
      (await storage.memoryPolicies.get(workspaceId)).globalWrites,
    onRejected: createRejectedTagsLog(host.log),
    findLinkedTools: storage.toolLinks.findLinked,
    retrieve,
    runTool,
    sessions: storage.sessions,
    ratioOf: ratios.of,
    learn: ratios.learn,
    prepare: createPrepareChat({
      ...models,
      summarize,
      ratioOf: ratios.of,
      clock,
    }),
  };
};

type DebateParts = Pick<
  DebateRunnerDeps,
  'recall' | 'retrieve' | 'openCall' | 'ratioOf' | 'learn' | 'limitsOf'
> & {
  askModel: AskModel;
  storage: Storage;
};

const openDebates = (
  { debates: { agentsMax, leaseMs: configuredMs, ...rules } }: Pick<Config, 'debates'>,
  { log, registry }: Pick<Host, 'log' | 'registry'>,
  { askModel, storage, ...parts }: DebateParts,
  { debateLeaseMs: leaseMs = configuredMs, debatePollIntervalMs: pollEveryMs }: Overrides,
) => {
  const { debates: store, debateArchive: archive, conversations: conversationStore } = storage;
  const { agents } = storage;
  const localDebates = createLocalDebates();
  const runner = openDebateRunner({
    ...parts,
    leaseMs,
    pollEveryMs,
    agents,
    newId,
    clock,
    store: { ...store, save: countDebates(registry, store.save) },
    archive,
    frameQuestion: createFrameQuestion({
      askModel,
      limitsOf: parts.limitsOf,
      newId,
      onFailure: (reason, workspaceId) =>
        log.warn(
          { event: 'question_framing_failed', reason, workspaceId },
          'No propositions could be derived from the question, it is debated as one proposition',
        ),
    }),
    askSynthesizer: createAskSynthesizer({ ...parts, newId, clock }),
    conversations: conversationStore,
    localDebates,
    onFailure: createDebateFailureLog(log),
  });
  const start = createStartDebate({
    agents,
    archive,
    conversations: conversationStore,
    store,
    runner,
    rules,
    agentsMax,
    newId,
    clock,
    leaseMs,
    admit: createPermits(DEBATES_MAX),
  });
  const cancel = { store, takeOver: storage.takeOverDebate, leaseMs };
  const deps = { start, cancel, archive, localDebates, newId };
  const conversations = createConversations({ store: conversationStore, newId, clock });
  return {
    implementations: [
      implement(ConversationService, {
        ...createConversationHandlers(conversations),
        ...createDebateHandlers(deps),
      }),
      implement(PanelService, createPanelHandlers(deps)),
    ],
    stop: runner.stop,
  };
};
