import {
  AgentService,
  AgentTurnService,
  AssistanceService,
  ChatService,
  ChatSessionService,
  CompletionService,
  FactService,
  MemoryService,
} from '@witan/contracts/services';
import { createClient, implement, newId } from '@witan/service-kit';
import type { Host, Service } from '@witan/service-kit';
import { createAskModel, createOpenCall } from './clients/ask-model.ts';
import type { Config } from './config.ts';
import { createAgents } from './domain/agent/agents.ts';
import type { Agents } from './domain/agent/agents.ts';
import type { ChatDeps } from './domain/chat/chat.ts';
import { createPrepareChat } from './domain/chat/prepare-chat.ts';
import { createSessions } from './domain/chat/sessions.ts';
import { createSummarizeSession } from './domain/chat/summarize-session.ts';
import { createExtractFacts, reasonOf } from './domain/fact/extract-facts.ts';
import type { ExtractFacts } from './domain/fact/extract-facts.ts';
import { createFacts } from './domain/fact/facts.ts';
import { createMemories } from './domain/memory/memories.ts';
import type { AskModel } from './domain/model/model-call.ts';
import type { GatewayTurnDeps } from './domain/turn/run-gateway-turn.ts';
import { createTokenRatios } from './domain/turn/token-ratios.ts';
import { createAgentHandlers } from './handlers/agents.ts';
import { createAssistHandlers } from './handlers/assist.ts';
import { createChatHandlers } from './handlers/chat.ts';
import { createFactHandlers } from './handlers/facts.ts';
import { createMemoryHandlers } from './handlers/memories.ts';
import { createSessionHandlers } from './handlers/sessions.ts';
import { createTurnHandlers } from './handlers/turn.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './storage/open-storage.ts';

const clock = (): Date => new Date();

/** Composes the agents service: personas, what they remember, and their turns. */
export const createService = async (config: Config, host: Host): Promise<Service> => {
  const llmGateway = host.connect('llm-gateway');
  const storage = await openStorage(config.databaseUrl, host.log, { newId, clock });
  const agents = createAgents({ store: storage.agents, newId, clock });
  const memories = createMemories({ store: storage.memories, newId });
  const sessions = createSessions({ agents, store: storage.sessions, newId, clock });
  const completions = createClient(CompletionService, llmGateway);
  const openCall = createOpenCall(completions, config.completionTimeoutMs);
  const askModel = createAskModel(completions, config.completionTimeoutMs);
  const extractFacts = createExtractFacts({
    askModel,
    store: storage.facts,
    newId,
    onFailure: (failure) => host.log.warn(failure, 'facts were asked for and not extracted'),
  });
  const { contextTokens } = config;
  const models = { openCall, askModel, extractFacts, contextTokens };
  const turns = createTurns(models, { host, storage, agents });
  return {
    implementations: [
      implement(AgentService, createAgentHandlers(agents)),
      implement(MemoryService, createMemoryHandlers(memories)),
      implement(FactService, createFactHandlers(createFacts(storage.facts))),
      implement(AssistanceService, createAssistHandlers({ ...models, newId })),
      implement(ChatSessionService, createSessionHandlers(sessions)),
      implement(ChatService, createChatHandlers(turns)),
      implement(AgentTurnService, createTurnHandlers(turns)),
    ],
    checks: {
      database: storage.check,
      'llm-gateway': () => llmGateway.ready(READY_TIMEOUT_MS),
    },
    stop: async () => storage[Symbol.asyncDispose](),
  };
};

const READY_TIMEOUT_MS = 1_000;

type Models = Pick<ChatDeps, 'openCall'> & {
  askModel: AskModel;
  extractFacts: ExtractFacts;
  contextTokens: number;
};
type TurnParts = { host: Host; storage: Storage; agents: Agents };

/** What turns are made with: those of chats, and those of callers that keep their own history. */
const createTurns = (
  { askModel, ...models }: Models,
  { host, storage, agents }: TurnParts,
): ChatDeps & GatewayTurnDeps => {
  const ratios = createTokenRatios();
  const summarize = createSummarizeSession({
    askModel,
    save: storage.sessions.saveSummary,
    newId,
    // Messages of providers quote what they were given.
    onFailure: (error, sessionId) =>
      host.log.warn(
        { reason: reasonOf(error), sessionId },
        'a session was not summarised; its turn goes on without',
      ),
  });
  return {
    ...models,
    agents,
    newId,
    clock,
    recall: storage.recall,
    saveMemories: storage.saveMemories,
    sessions: storage.sessions,
    ratioOf: ratios.of,
    learn: ratios.learn,
    prepare: createPrepareChat({
      ...models,
      recall: storage.recall,
      summarize,
      ratioOf: ratios.of,
      clock,
    }),
  };
};
