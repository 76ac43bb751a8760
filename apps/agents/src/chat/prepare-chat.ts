import type { PromptItem } from '../prompt/prompt-item.ts';
import type { ToolSelection, TurnTool } from '../tool/tool.ts';
import type { TurnOptions, PreparedPrompt } from '../turn/prepare-prompt.ts';
import type { Turn } from '@witan/contracts';
import { toTextTurn } from '@witan/dialects';
import type { Caller } from '@witan/dialects';
import { staysLocal } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import type { LimitsOf } from '../completion/model-limits.ts';
import { toAgentAddress } from '../turn/turn.ts';
import type { Passage } from '../knowledge/passage.ts';
import { createMemoryChoice } from '../memory/recall/create-memory-choice.ts';
import { findSimilarMemories, describeSimilar } from '../memory/recall/find-similar-memories.ts';
import type { Memory } from '../memory/memory.ts';
import { estimateTurn, toExchanges } from '../prompt/to-exchanges.ts';
import type { Exchange } from '../prompt/to-exchanges.ts';
import { preparePrompt } from '../turn/prepare-prompt.ts';
import type { PositionedMessage, SessionHistory } from '../session/session.ts';
import type { SummarizeSession, Summary } from '../session/summarize-session.ts';

export type PrepareChatDeps = {
  summarize: SummarizeSession;
  limitsOf: LimitsOf;
  ratioOf: (model: string) => number;
  clock: () => Date;
};

export type ChatSource = {
  agent: Agent;
  sessionId: string;
  history: SessionHistory;
  memories: readonly Memory[];
  request: ChatRequest;
  tools: readonly TurnTool[];
  passages: readonly Passage[];
};

/** Prepares the prompt of a chat turn; may call a model to summarize the history. */
export type PrepareChat = (source: ChatSource, caller: Caller) => Promise<PreparedChat>;

export type PreparedChat = {
  prepared: PreparedPrompt;
  shownMemories: Memory[];
  summaryCall: Summary['call'];
  exchangesSummarized: number;
};

/**
 * Returns a `PrepareChat`. If the history does not fit, it replaces the older part by a summary,
 * which it stores for the next turns. A new summary also covers about half of the exchanges that
 * would fit, so that the next turns need no new one.
 */
export const createPrepareChat =
  (deps: PrepareChatDeps): PrepareChat =>
  async (source, caller) => {
    const { agent, sessionId, history, request } = source;
    const { contextTokens } = await deps.limitsOf(
      { address: toAgentAddress(agent, staysLocal(agent)) },
      caller,
    );
    const { fit, shownMemories } = createPromptFitter(source, { ...deps, contextTokens });
    const exchanges = toPositionedExchanges(history.messages);
    const exchangesAfter = (until: number) =>
      exchanges.filter((exchange) => exchange.until > until);
    const fullFit = fit(exchanges, '');
    const toPrepared = (prepared: PreparedPrompt, until: number, call?: Summary['call']) => ({
      prepared,
      shownMemories: shownMemories(),
      summaryCall: call,
      exchangesSummarized:
        exchanges.length - exchangesAfter(until).length + prepared.dropped.exchanges,
    });
    if (fitsAll(fullFit)) return toPrepared(fullFit, 0);
    const { summary, summaryUntil } = history;
    const fitted = fit(exchangesAfter(summaryUntil), summary);
    if (summaryUntil > 0 && fitsAll(fitted)) return toPrepared(fitted, summaryUntil);
    const until =
      chooseSummaryEnd(exchanges.slice(fullFit.dropped.exchanges)) ?? exchanges.at(-1)!.until;
    const { requestSha256 } = request;
    const newSummary = await deps.summarize(
      { sessionId, history, until, requestSha256, agent },
      caller,
    );
    const prepared = fit(exchangesAfter(newSummary.until), newSummary.text);
    return toPrepared(prepared, newSummary.until, newSummary.call);
  };

const fitsAll = ({ dropped }: PreparedPrompt): boolean => dropped.exchanges === 0;

const createPromptFitter = (
  source: ChatSource,
  {
    contextTokens,
    ratioOf,
    clock,
  }: Pick<PrepareChatDeps, 'ratioOf' | 'clock'> & { contextTokens: number },
) => {
  const { agent, sessionId, history, memories, request, tools, passages } = source;
  const { message, options, context } = request;
  const choice = createMemoryChoice(memories, { sessionId, now: clock(), text: message });
  // Near duplicates are reported to the agent only for memories of this session, which it can still
  // correct.
  const changed = memories.filter((memory) => memory.sessionId === sessionId);
  const shared = {
    agent,
    options,
    context,
    tools,
    passages,
    contextTokens,
    ratio: ratioOf(agent.model),
    current: toExchange(toTextTurn('user', message)),
    hint: describeSimilar(findSimilarMemories(changed, memories)),
    chooseMemories: choice.choose,
    // Tainted memories left out of this prompt count as well, because a later prompt of the turn
    // may contain them.
    isTainted: history.isTainted || memories.some(({ isTainted }) => isTainted),
  };
  return {
    fit: (exchanges: readonly Exchange<Turn>[], summary: string): PreparedPrompt =>
      preparePrompt({ ...shared, history: exchanges, summary }),
    shownMemories: choice.chosen,
  };
};

/**
 * Returns the position at which the older half, by tokens, of the exchanges that fit ends; this
 * half is summarized as well. Returns undefined if no exchange fits.
 */
const chooseSummaryEnd = (fitted: readonly PositionedExchange[]): number | undefined => {
  const halfTokens = fitted.reduce((sum, { tokens }) => sum + tokens, 0) / 2;
  let passedTokens = 0;
  return fitted.findLast(({ tokens }) => (passedTokens += tokens) > halfTokens)?.until;
};

const toExchange = (turn: Turn): Exchange<Turn> => ({ turns: [turn], tokens: estimateTurn(turn) });

type PositionedExchange = Exchange<Turn> & { until: number };

const toPositionedExchanges = (messages: readonly PositionedMessage[]): PositionedExchange[] => {
  const turns = messages.map(({ senderType, content }) =>
    toTextTurn(senderType === 'user' ? 'user' : 'assistant', content),
  );
  let seenTurns = 0;
  return toExchanges(turns).map((exchange) => {
    seenTurns += exchange.turns.length;
    return { ...exchange, until: messages[seenTurns - 1]!.position };
  });
};

export type ChatRequest = {
  agentId: string;
  message: string;
  sessionId?: string;
  context: readonly PromptItem[];
  options: TurnOptions & { temperature: number; maxOutputTokens: number };
  /**
   * Categories of facts to extract from the message; if empty, any category is allowed. `persist`
   * stores the facts. If `extraction` is undefined, nothing is extracted.
   */
  extraction?: { categories: readonly string[]; persist: boolean };
  /** Tools to offer to the model; none if undefined. */
  tools?: ToolSelection;
  isStreamed: boolean;
  proofId: string;
  requestSha256: string;
};
