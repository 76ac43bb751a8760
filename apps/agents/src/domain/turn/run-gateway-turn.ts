import { ServiceError } from '@witan/contracts';
import type { Turn as ConversationTurn } from '@witan/contracts';
import type { Agents } from '../agent/agents.ts';
import type { Recall } from '../memory/recall.ts';
import { chooseBy } from '../memory/choose-by.ts';
import type { GuardedMemory } from '../memory/guard-memories.ts';
import type { Memory } from '../memory/memory.ts';
import type { Caller } from '../model/model-call.ts';
import type { PromptItem } from '../prompt/prompt-item.ts';
import { toExchanges } from '../prompt/to-exchanges.ts';
import { preparePrompt } from './prepare-prompt.ts';
import { runTurn } from './run-turn.ts';
import type { TurnDeps } from './to-call.ts';
import { toWords } from './to-words.ts';
import type { TurnOutcome, TurnPiece } from './turn.ts';

/** A call of `agent:<slug>`, whose caller keeps the history. */
export type GatewayTurn = {
  slug: string;
  /** `model` as the client wrote it. */
  requested: string;
  isSensitive: boolean;
  /** Asked for with `+knowledge`. */
  wantsKnowledge: boolean;
  /** The caller's own instructions. */
  system: readonly string[];
  turns: readonly ConversationTurn[];
  temperature?: number;
  maxOutputTokens?: number;
  proofId: string;
  requestSha256: string;
};

export type GatewayTurnDeps = TurnDeps & {
  agents: Pick<Agents, 'getBySlug'>;
  recall: Pick<Recall, 'all'>;
  saveMemories: (
    workspaceId: string,
    turn: { agentId: string; memories: readonly GuardedMemory[]; used: readonly Memory[] },
  ) => Promise<unknown>;
  contextTokens: number;
  ratioOf: (model: string) => number;
  learn: (model: string, counts: { estimated: number; actual: number }) => void;
  clock: () => Date;
};

/**
 * A turn of an agent for a client of a wire dialect. The agent has its persona and its memories,
 * and keeps what it learns for itself; nothing else is written down.
 */
export async function* runGatewayTurn(
  call: GatewayTurn,
  caller: Caller,
  deps: GatewayTurnDeps,
): AsyncGenerator<TurnPiece, TurnOutcome> {
  const { workspaceId } = caller;
  const agent = await deps.agents.getBySlug(workspaceId, call.slug);
  if (call.wantsKnowledge) {
    const words = 'The knowledge base is not available; ask without +knowledge.';
    throw new ServiceError('UNAVAILABLE', words, { fields: { param: 'model' } });
  }
  const memories = await deps.recall.all(workspaceId, agent.id);
  const ranked = { sessionId: '', now: deps.clock(), rankings: [] };
  const choice = chooseBy(memories, ranked);
  const exchanges = toExchanges(call.turns.map(toWords));
  const wish = {
    reflection: false,
    ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
    ...(call.maxOutputTokens === undefined ? {} : { maxOutputTokens: call.maxOutputTokens }),
  };
  const prepared = preparePrompt({
    agent,
    wish,
    contextTokens: deps.contextTokens,
    ratio: deps.ratioOf(agent.model),
    current: exchanges.at(-1) ?? { turns: [], tokens: 0 },
    history: exchanges.slice(0, -1),
    context: toContext(call.system),
    chooseMemories: choice.choose,
  });
  const { requested, isSensitive, proofId, requestSha256 } = call;
  const turn = { agent, prepared, wish, requested, isSensitive, proofId, requestSha256 };
  const sharing = { isGatewayCall: true, workspaceSharesMemories: true };
  const outcome = yield* runTurn(turn, sharing, caller, deps);
  const actual = outcome.firstPromptTokens;
  deps.learn(agent.model, { estimated: prepared.estimatedTokens, actual });
  await deps.saveMemories(workspaceId, {
    agentId: agent.id,
    memories: outcome.memories.memories,
    used: choice.chosen(),
  });
  return outcome;
}

/** The application that calls has wishes, too; it is not the agent's own voice. */
const toContext = (system: readonly string[]): PromptItem[] =>
  system.length === 0
    ? []
    : [{ category: 'Instructions of the calling application', data: system.join('\n\n') }];
