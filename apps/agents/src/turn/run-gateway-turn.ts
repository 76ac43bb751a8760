import type { Turn as ConversationTurn, Part, Turn } from '@witan/contracts';
import type { LimitsOf } from '../completion/model-limits.ts';
import type { Agents } from '../agent/agents.ts';
import { staysLocal } from '../agent/agent.ts';
import { PASSAGES_MAX } from '../knowledge/passage.ts';
import type { Retrieve } from '../knowledge/passage.ts';
import type { OnRejected, AcceptedMemory } from '../memory/tags/filter-memory-tags.ts';
import type { MayShareMemories, Recall } from '../memory/memory-store.ts';
import { createMemoryChoice } from '../memory/recall/create-memory-choice.ts';
import type { Memory } from '../memory/memory.ts';
import type { PromptItem } from '../prompt/prompt-item.ts';
import { toExchanges } from '../prompt/to-exchanges.ts';
import type { Exchange } from '../prompt/to-exchanges.ts';
import type { FindLinkedTools } from '../tool/tool.ts';
import { chooseTools } from '../tool/tool.ts';
import { preparePrompt } from './prepare-prompt.ts';
import { runTurn } from './run-turn.ts';
import { toAgentAddress } from './turn.ts';
import type { TurnDeps } from './turn.ts';
import type { TurnOutcome, TurnPiece } from './turn.ts';
import type { TurnOptions } from './prepare-prompt.ts';
import { create } from '@bufbuild/protobuf';
import { PartSchema } from '@witan/contracts';
import type { Caller } from '@witan/dialects';

/** Call of the model `agent:<slug>` in a wire dialect, with a history that the caller sent. */
export type GatewayTurn = {
  slug: string;
  requested: string;
  isSensitive: boolean;
  wantsKnowledge: boolean;
  system: readonly string[];
  turns: readonly ConversationTurn[];
  temperature?: number;
  maxOutputTokens?: number;
  isStreamed: boolean;
  proofId: string;
  requestSha256: string;
  /**
   * True if the caller may not change the agent: no tools are offered and no memories are stored.
   */
  isReadOnly: boolean;
};

export type GatewayTurnDeps = TurnDeps & {
  agents: Pick<Agents, 'getBySlug'>;
  recall: Recall;
  findLinkedTools: FindLinkedTools;
  retrieve: Retrieve;
  mayShareMemories: MayShareMemories;
  onRejected: OnRejected;
  saveMemories: (
    workspaceId: string,
    turn: {
      agentId: string;
      memories: readonly AcceptedMemory[];
      shownMemories: readonly Memory[];
    },
  ) => Promise<unknown>;
  limitsOf: LimitsOf;
  ratioOf: (model: string) => number;
  learn: (model: string, counts: { estimated: number; actual: number }) => void;
  clock: () => Date;
};

/**
 * Runs a turn for a client of a wire dialect. The agent uses its persona and memories. Messages are
 * not stored; unless `isReadOnly` is set, new memories are stored and the use of shown ones is
 * recorded.
 */
export async function* runGatewayTurn(
  call: GatewayTurn,
  caller: Caller,
  deps: GatewayTurnDeps,
): AsyncGenerator<TurnPiece, TurnOutcome> {
  const { workspaceId } = caller;
  const agent = await deps.agents.getBySlug(workspaceId, call.slug);
  const exchanges = toExchanges(call.turns.map(toTextParts));
  const currentExchange = exchanges.at(-1) ?? { turns: [], tokens: 0 };
  const isSensitive = call.isSensitive || staysLocal(agent);
  const [{ contextTokens }, recalledMemories, linkedTools, passages] = await Promise.all([
    deps.limitsOf({ address: toAgentAddress(agent, isSensitive) }, caller),
    deps.recall.all(workspaceId, agent.id),
    deps.findLinkedTools(workspaceId, agent.id),
    deps.retrieve(workspaceId, {
      ...(call.wantsKnowledge ? {} : { agentId: agent.id }),
      text: textOf(currentExchange),
      limit: PASSAGES_MAX,
      isLocal: isSensitive,
    }),
  ]);
  const tools = chooseTools(linkedTools, { areOffered: !call.isReadOnly, ids: [] });
  const memories = recalledMemories.visibleTo({ staysLocal: isSensitive });
  const choice = createMemoryChoice(memories, {
    sessionId: '',
    now: deps.clock(),
    text: textOf(currentExchange),
  });
  const options = toOptions(call);
  const prepared = preparePrompt({
    agent,
    options,
    contextTokens,
    ratio: deps.ratioOf(agent.model),
    current: currentExchange,
    history: exchanges.slice(0, -1),
    isForeign: true,
    context: toContext(call.system),
    chooseMemories: choice.choose,
    tools,
    passages,
  });
  const { requested, wantsKnowledge, proofId, requestSha256 } = call;
  const turn = {
    agent,
    prepared,
    options,
    tools,
    requested,
    isSensitive,
    wantsKnowledge,
    isShownLive: call.isStreamed,
    // The agent's own tools are not shown, because wire dialects cannot represent them.
    areToolsShown: false,
    proofId,
    requestSha256,
  };
  const sharing = { isGatewayCall: true, mayShareMemories: deps.mayShareMemories };
  const outcome = yield* runTurn(turn, sharing, caller, deps);
  const promptTokens = outcome.firstPromptTokens;
  deps.learn(agent.model, { estimated: prepared.estimatedTokens, actual: promptTokens });
  deps.onRejected(agent.id, outcome.memories.rejected);
  if (call.isReadOnly) return outcome;
  await deps.saveMemories(workspaceId, {
    agentId: agent.id,
    memories: outcome.memories.memories,
    shownMemories: choice.chosen(),
  });
  return outcome;
}

const toOptions = ({ temperature, maxOutputTokens }: GatewayTurn): TurnOptions => ({
  reflection: false,
  ...(temperature === undefined ? {} : { temperature }),
  ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
});

const textOf = ({ turns }: Exchange<ConversationTurn>): string =>
  turns
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.map(({ part }) => (part.case === 'text' ? part.value.text : '')))
    .join('\n');

/**
 * Converts the caller's system instructions to context, because they are not part of the persona.
 */
const toContext = (system: readonly string[]): PromptItem[] =>
  system.length === 0
    ? []
    : [{ category: 'Instructions of the calling application', data: system.join('\n\n') }];

/**
 * Converts tool calls and results of a caller's history to text, because the agent does not have
 * these tools. Drops the reasoning of other models.
 */
export const toTextParts = (turn: Turn): Turn => ({
  ...turn,
  parts: turn.parts.flatMap(toPlainParts),
});

const toPlainParts = (one: Part): Part[] => {
  const { part } = one;
  if (part.case === 'reasoning') return [];
  if (part.case === 'toolCall')
    return [toText(`[called ${part.value.name}: ${part.value.arguments}]`)];
  if (part.case === 'toolResult') {
    const resultParts = part.value.parts.flatMap(toPlainParts);
    return [toText('[what the tool answered:]'), ...resultParts];
  }
  if (part.case === 'refusal') return [toText(part.value.text)];
  return [one];
};

const toText = (text: string): Part =>
  create(PartSchema, { part: { case: 'text', value: { text } } });
