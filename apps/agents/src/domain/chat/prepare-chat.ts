import type { Turn } from '@witan/contracts';
import type { Agent } from '../agent/agent.ts';
import { chooseBy } from '../memory/choose-by.ts';
import { findSimilarMemories } from '../memory/find-similar-memories.ts';
import type { Ranking } from '../memory/fuse-ranks.ts';
import { describeSimilar } from '../memory/describe-similar.ts';
import type { Memory } from '../memory/memory.ts';
import type { Recall } from '../memory/recall.ts';
import type { Caller } from '../model/model-call.ts';
import { estimateTurn, toExchanges } from '../prompt/to-exchanges.ts';
import type { Exchange } from '../prompt/to-exchanges.ts';
import { toTextTurn } from '../prompt/to-text-turn.ts';
import { preparePrompt } from '../turn/prepare-prompt.ts';
import type { PreparedPrompt } from '../turn/prepare-prompt.ts';
import type { ChatRequest } from './chat.ts';
import type { PlacedMessage, SessionHistory } from './session.ts';
import type { SummarizeSession, Summary } from './summarize-session.ts';

export type PrepareChatDeps = {
  recall: Recall;
  summarize: SummarizeSession;
  contextTokens: number;
  ratioOf: (model: string) => number;
  clock: () => Date;
};

export type ChatSource = {
  agent: Agent;
  sessionId: string;
  history: SessionHistory;
  request: ChatRequest;
};

/** The prompt of a chat turn, and what was asked of a model to make it. */
export type PrepareChat = (
  source: ChatSource,
  caller: Caller,
) => Promise<{
  prepared: PreparedPrompt;
  /** Memories that the prompt shows. */
  used: Memory[];
  summaryCall: Summary['call'];
}>;

/**
 * Makes the prompt of a chat turn from everything that the agent knows. Memories are ranked by the
 * message only when they do not all fit; what of the history does not fit is summarised, once for
 * all turns that come after.
 */
export const createPrepareChat =
  (deps: PrepareChatDeps): PrepareChat =>
  async (source, caller) => {
    const { agent, sessionId, history, request } = source;
    const { workspaceId } = caller;
    const memories = await deps.recall.all(workspaceId, agent.id);
    // What it learnt in this session it can still put right.
    const changed = memories.filter((memory) => memory.sessionId === sessionId);
    const exchanges = toPlacedExchanges(history.messages);
    const fit = (more: { rankings?: readonly Ranking[]; summary?: string | undefined }) => {
      const choice = chooseBy(memories, {
        sessionId,
        now: deps.clock(),
        rankings: more.rankings ?? [],
      });
      const prepared = preparePrompt({
        agent,
        wish: request.wish,
        contextTokens: deps.contextTokens,
        ratio: deps.ratioOf(agent.model),
        current: toExchange(toTextTurn('user', request.message)),
        history: exchanges,
        context: request.context,
        hint: describeSimilar(findSimilarMemories(changed, memories)),
        chooseMemories: choice.choose,
        ...(more.summary === undefined ? {} : { summary: more.summary }),
      });
      return { prepared, used: choice.chosen() };
    };
    const first = fit({});
    const { dropped } = first.prepared;
    const rankings =
      dropped.memories === 0
        ? []
        : [await deps.recall.rank(workspaceId, agent.id, request.message)];
    const last = exchanges[dropped.exchanges - 1];
    if (!last) {
      const fitted = rankings.length === 0 ? first : fit({ rankings });
      return { ...fitted, summaryCall: undefined };
    }
    const { text: summary, call: summaryCall } = await deps.summarize(
      { sessionId, history, until: last.until, requestSha256: request.requestSha256, agent },
      caller,
    );
    return { ...fit({ rankings, summary }), summaryCall };
  };

const toExchange = (turn: Turn): Exchange<Turn> => ({ turns: [turn], tokens: estimateTurn(turn) });

/** `until`: place of the last message of an exchange. */
type PlacedExchange = Exchange<Turn> & { until: number };

const toPlacedExchanges = (messages: readonly PlacedMessage[]): PlacedExchange[] => {
  const turns = messages.map(({ senderType, content }) =>
    toTextTurn(senderType === 'user' ? 'user' : 'assistant', content),
  );
  let seen = 0;
  return toExchanges(turns).map((exchange) => {
    seen += exchange.turns.length;
    return { ...exchange, until: messages[seen - 1]!.position };
  });
};
