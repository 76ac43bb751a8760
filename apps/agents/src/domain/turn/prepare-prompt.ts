import type { Turn as ConversationTurn } from '@witan/contracts';
import type { Agent } from '../agent/agent.ts';
import { describeShape } from '../answer/describe-shape.ts';
import { defuseTags } from '../memory/defuse-tags.ts';
import type { Prompt } from '../model/model-call.ts';
import { fitPrompt, promptTooLarge } from '../prompt/fit-prompt.ts';
import type { ChosenMemories, FittedPrompt } from '../prompt/fit-prompt.ts';
import type { PromptItem } from '../prompt/prompt-item.ts';
import { renderContext } from '../prompt/render-context.ts';
import { renderPersona } from '../prompt/render-persona.ts';
import type { Exchange } from '../prompt/to-exchanges.ts';
import { describeRules, REFLECTION_RULE } from './describe-rules.ts';
import type { TurnWish } from './turn.ts';

/** All that a turn's prompt is made of; texts are as they were said. */
export type PromptSource = {
  agent: Agent;
  wish: TurnWish;
  /** Tokens that prompt and answer may have together. */
  contextTokens: number;
  /** Actual to estimated tokens, as far as is known. */
  ratio: number;
  current: Exchange<ConversationTurn>;
  /** Oldest first. */
  history: readonly Exchange<ConversationTurn>[];
  context: readonly PromptItem[];
  chooseMemories: (budgetTokens: number) => ChosenMemories;
  /** Of what an earlier fit dropped. */
  summary?: string;
  /** What the agent should know of its own memories; empty: nothing. */
  hint?: string;
};

export type PreparedPrompt = {
  prompt: Prompt;
  dropped: FittedPrompt<ConversationTurn, never>['dropped'];
  /** Before the model's ratio. */
  estimatedTokens: number;
  /** What stood in the prompt and was not written by us or the agent, as it was said. */
  untrustedTexts: string[];
  heldUntrustedBlocks: boolean;
};

/** Room that is kept for an answer whose length nobody limits. */
const ANSWER_TOKENS = 4_000;
/** Of a small model's window at most. */
const ANSWER_SHARE = 0.25;

/**
 * The prompt of one turn: persona, rules and memories first, always the same while they are, so
 * that a provider's cache hits; then what is of this call alone. Throws REQUEST_TOO_LARGE when what
 * must be there does not fit.
 */
export const preparePrompt = (source: PromptSource): PreparedPrompt => {
  const { agent, wish, context, current, history, summary } = source;
  const blocks = renderContext(context).map((block) => ({
    ...block,
    text: defuseTags(block.text),
  }));
  const fitted = fitPrompt<ConversationTurn, never>({
    window: {
      contextTokens: source.contextTokens,
      maxOutputTokens:
        wish.maxOutputTokens ?? Math.min(ANSWER_TOKENS, source.contextTokens * ANSWER_SHARE),
      ratio: source.ratio,
    },
    opening: [renderPersona(agent), describeRules({ name: agent.name, hasTags: !wish.json })].join(
      '\n\n',
    ),
    closing: [source.hint ?? '', describeAnswer(wish)].filter(Boolean).join('\n\n'),
    toolTokens: 0,
    current: defuseExchange(current),
    context: blocks,
    chooseMemories: source.chooseMemories,
    passages: [],
    history: history.map(defuseExchange),
    ...(summary ? { summary: defuseTags(summary) } : {}),
  });
  if ('fault' in fitted) throw promptTooLarge(fitted.fault);
  const { stable, volatile } = fitted.system;
  return {
    prompt: {
      system: [stable, volatile].filter((text) => text !== ''),
      turns: joinRoles(fitted.turns),
      ...(wish.temperature === undefined ? {} : { temperature: wish.temperature }),
      ...(wish.maxOutputTokens === undefined ? {} : { maxOutputTokens: wish.maxOutputTokens }),
      wantsJson: wish.json !== undefined,
      // A JSON object comes whole: it is read before anybody sees it.
      isStreamed: wish.json === undefined,
    },
    dropped: fitted.dropped,
    estimatedTokens: fitted.estimatedTokens,
    untrustedTexts: [
      ...[...history, current].flatMap(({ turns }) => turns.filter(isUser).flatMap(textsOf)),
      ...context.map(({ data }) => (typeof data === 'string' ? data : JSON.stringify(data))),
    ],
    heldUntrustedBlocks: context.length > 0,
  };
};

/** What this call alone asks of the answer. */
const describeAnswer = ({ json, reflection }: TurnWish): string => {
  if (json) return describeShape({ ...json, hasThoughts: reflection });
  return reflection ? REFLECTION_RULE : '';
};

const isUser = ({ role }: ConversationTurn): boolean => role === 'user';

const textsOf = ({ parts }: ConversationTurn): string[] =>
  parts.flatMap(({ part }) => (part.case === 'text' ? [part.value.text] : []));

const defuseExchange = (exchange: Exchange<ConversationTurn>): Exchange<ConversationTurn> => ({
  ...exchange,
  turns: exchange.turns.map((turn) => ({ ...turn, parts: turn.parts.map(defusePart) })),
});

const defusePart = (part: ConversationTurn['parts'][number]): typeof part =>
  part.part.case === 'text'
    ? {
        ...part,
        part: {
          case: 'text',
          value: { ...part.part.value, text: defuseTags(part.part.value.text) },
        },
      }
    : part;

/** Two turns of one role never follow each other: an answer in between may have failed. */
const joinRoles = (turns: readonly ConversationTurn[]): ConversationTurn[] => {
  const joined: ConversationTurn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === turn.role) {
      joined[joined.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] };
    } else joined.push(turn);
  }
  return joined;
};
