import { addUsage } from '@witan/dialects';
import type { Caller, ModelOpening, TokenUsage } from '@witan/dialects';
import { staysLocal, sourceOfChat } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import type { Agents } from '../agent/agents.ts';
import type { ExtractedFact } from '../extraction/read-extracted-facts.ts';
import { NO_EXTRACTION } from '../extraction/extract-facts.ts';
import type { Extracted, ExtractFacts } from '../extraction/extract-facts.ts';
import { PASSAGES_MAX } from '../knowledge/passage.ts';
import type { Retrieve } from '../knowledge/passage.ts';
import { findMemoryRequest } from './find-memory-request.ts';
import type { AcceptedMemory, OnRejected } from '../memory/tags/filter-memory-tags.ts';
import type { MayShareMemories, Recall } from '../memory/memory-store.ts';
import type { FindLinkedTools, ToolRun, TurnTool } from '../tool/tool.ts';
import { chooseTools } from '../tool/tool.ts';
import type { PreparedPrompt } from '../turn/prepare-prompt.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { TurnDeps } from '../turn/turn.ts';
import type { TurnOutcome } from '../turn/turn.ts';
import type { PrepareChat, ChatRequest } from './prepare-chat.ts';
import type { SavedMemory, SessionHistory, SessionStore } from '../session/session.ts';
import { isClosedTo, sessionClosed, titleOf } from '../session/sessions.ts';
import { noSuchSession } from '../memory/memory-store.ts';

export type ChatPiece =
  | ChatOpening
  | { kind: 'tool'; run: ToolRun }
  | { kind: 'delta'; text: string }
  | ({ kind: 'ended' } & ChatOutcome);

export type ChatOpening = Omit<ModelOpening, 'provider' | 'providerMs'> & {
  agent: Agent;
  sessionId: string;
};

export type ChatOutcome = Pick<
  TurnOutcome,
  'content' | 'object' | 'finishReason' | 'proofIds' | 'toolRuns'
> & {
  thoughts: string | undefined;
  agent: Agent;
  memoriesSaved: SavedMemory[];
  extracted: ExtractedFact[];
  usage: TokenUsage;
  memoriesOmitted: number;
  exchangesSummarized: number;
};

export type ChatDeps = TurnDeps & {
  agents: Pick<Agents, 'get'>;
  sessions: Pick<SessionStore, 'loadHistory' | 'saveTurn'>;
  recall: Recall;
  findLinkedTools: FindLinkedTools;
  retrieve: Retrieve;
  prepare: PrepareChat;
  extractFacts: ExtractFacts;
  mayShareMemories: MayShareMemories;
  onRejected: OnRejected;
  learn: (model: string, counts: { estimated: number; actual: number }) => void;
};

const HISTORY_MESSAGES_MAX = 20_000;

/**
 * Runs one chat turn with the agent's persona, memories and session history. Stores both messages
 * and the new memories in one transaction; if requested, extracts facts from the message at the
 * same time. A failed turn stores no messages and no memories.
 */
export async function* chat(
  request: ChatRequest,
  caller: Caller,
  deps: ChatDeps,
): AsyncGenerator<ChatPiece> {
  const { workspaceId } = caller;
  const { sessionId = deps.newId('ses') } = request;
  const finding = deps.agents.get(workspaceId, request.agentId);
  const reading = readAll(request, workspaceId, finding, deps);
  // Prevents an unhandled rejection of `reading` if `finding`, which is awaited first, rejects.
  reading.catch(() => {});
  const agent = await finding;
  const { tools, history, recalled, passages } = await reading;
  if (isClosedTo(agent, history)) throw sessionClosed();
  const isLocalOnly = staysLocal(agent);
  const memories = recalled.visibleTo({ staysLocal: isLocalOnly });
  const { prepared, shownMemories, summaryCall, exchangesSummarized } = await deps.prepare(
    { agent, sessionId, request, tools, history, memories, passages },
    caller,
  );
  const outcome = yield* runSessionTurn(
    prepared,
    { agent, sessionId, request, tools },
    caller,
    deps,
  );
  const { content, object, thoughts } = outcome;
  deps.onRejected(agent.id, outcome.memories.rejected);
  const extractionPromise = extract(agent, request, caller, deps);
  const memoriesSaved = await deps.sessions.saveTurn(workspaceId, {
    agentId: agent.id,
    agentName: agent.name,
    sessionId,
    ...(request.sessionId === undefined ? { newTitle: titleOf(agent) } : {}),
    question: request.message,
    answer: content,
    proofIds: outcome.proofIds,
    memories: chooseMemories(outcome, request, isLocalOnly),
    shownMemories,
    isLocalOnly,
    isTainted: outcome.isTainted,
  });
  const { facts, ...extraction } = await extractionPromise;
  const calls = [outcome, ...(summaryCall ? [summaryCall] : []), extraction];
  yield {
    kind: 'ended',
    agent,
    content,
    object,
    finishReason: outcome.finishReason,
    thoughts: request.options.reflection ? thoughts : undefined,
    memoriesSaved,
    extracted: facts,
    toolRuns: outcome.toolRuns,
    usage: calls.map(({ usage }) => usage).reduce(addUsage),
    proofIds: calls.flatMap(({ proofIds }) => proofIds),
    memoriesOmitted: prepared.dropped.memories,
    exchangesSummarized,
  };
}

const readAll = async (
  request: ChatRequest,
  workspaceId: string,
  finding: Promise<Agent>,
  deps: ChatDeps,
) => {
  const { agentId, message: text } = request;
  const retrieve = async () => {
    const isLocal = staysLocal(await finding);
    return await deps.retrieve(workspaceId, { agentId, text, limit: PASSAGES_MAX, isLocal });
  };
  const [history, tools, recalledMemories, passages] = await Promise.all([
    findHistory(request, workspaceId, deps),
    findTools(request, workspaceId, deps),
    deps.recall.all(workspaceId, agentId),
    retrieve(),
  ]);
  return { history, tools, recalled: recalledMemories, passages };
};

const NO_HISTORY: SessionHistory = {
  messages: [],
  summary: '',
  summaryUntil: 0,
  isLocalOnly: false,
  isTainted: false,
};

const findHistory = async (
  { agentId, sessionId }: ChatRequest,
  workspaceId: string,
  { sessions }: ChatDeps,
): Promise<SessionHistory> => {
  if (sessionId === undefined) return NO_HISTORY;
  const history = await sessions.loadHistory(workspaceId, agentId, sessionId, HISTORY_MESSAGES_MAX);
  if (!history) throw noSuchSession();
  return history;
};

const findTools = async (
  { agentId, tools }: ChatRequest,
  workspaceId: string,
  { findLinkedTools }: ChatDeps,
): Promise<TurnTool[]> =>
  tools && (tools.areOffered || tools.ids.length > 0)
    ? chooseTools(await findLinkedTools(workspaceId, agentId), tools)
    : [];

type SessionTurn = {
  agent: Agent;
  sessionId: string;
  request: ChatRequest;
  tools: readonly TurnTool[];
};

async function* runSessionTurn(
  prepared: PreparedPrompt,
  { agent, sessionId, request, tools }: SessionTurn,
  caller: Caller,
  deps: ChatDeps,
): AsyncGenerator<ChatPiece, TurnOutcome> {
  const { options, proofId, requestSha256 } = request;
  const turn = {
    agent,
    prepared,
    options,
    tools,
    requested: `agent:${agent.slug}`,
    isSensitive: staysLocal(agent),
    isShownLive: request.isStreamed,
    areToolsShown: request.isStreamed,
    proofId,
    requestSha256,
  };
  const sharing = { isGatewayCall: false, mayShareMemories: deps.mayShareMemories };
  const pieces = runTurn(turn, sharing, caller, deps);
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) {
      const actual = value.firstPromptTokens;
      deps.learn(agent.model, { estimated: prepared.estimatedTokens, actual });
      return value;
    }
    yield value.kind === 'opened' ? { ...value, agent, sessionId } : value;
  }
}

/**
 * Returns the memories that the model wrote; if it wrote none although the person asks to remember
 * something, what the person said. In an answer in JSON memories are suspended.
 */
const chooseMemories = (
  { memories: { memories } }: Pick<TurnOutcome, 'memories'>,
  { message, options }: ChatRequest,
  isLocalOnly: boolean,
): AcceptedMemory[] => {
  if (memories.length > 0 || options.json) return memories;
  const requested = findMemoryRequest(message);
  return requested ? [{ ...requested, isLocalOnly, isTainted: false, isGlobalDenied: false }] : [];
};

const extract = async (
  agent: Agent,
  { agentId, message, extraction, requestSha256 }: ChatRequest,
  caller: Caller,
  { extractFacts }: ChatDeps,
): Promise<Extracted> => {
  if (!extraction) return NO_EXTRACTION;
  const { categories, persist } = extraction;
  return extractFacts(
    {
      texts: [message],
      source: sourceOfChat(agentId),
      categories: categories.length === 0 ? undefined : categories,
      persist,
      agentId,
      isSensitive: staysLocal(agent),
      requestSha256,
    },
    caller,
  );
};
