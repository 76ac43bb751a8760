import type { AnswerShape } from '../completion/answer/describe-shape.ts';
import type { Part, Turn as ConversationTurn } from '@witan/contracts';
import type { GroundingEntry, OfferedTool, Prompt } from '@witan/dialects';
import type { Agent } from '../agent/agent.ts';
import { describeShape, toRequestedJson } from '../completion/answer/describe-shape.ts';
import { escapeMemoryTags } from '../memory/tags/undo-escapes.ts';
import type { Passage } from '../knowledge/passage.ts';
import { CITE_RULE, renderPassage, toGrounding } from '../knowledge/passage.ts';
import { estimateTokens } from '../prompt/estimate-tokens.ts';
import { fitPrompt, promptTooLarge } from '../prompt/fit-prompt.ts';
import type { ChosenMemories, FittedPrompt } from '../prompt/fit-prompt.ts';
import type { PromptItem } from '../prompt/prompt-item.ts';
import { renderContext, renderPersona } from '../prompt/prompt-item.ts';
import { estimateTurn } from '../prompt/to-exchanges.ts';
import type { Exchange } from '../prompt/to-exchanges.ts';
import { describeRules, REFLECTION_RULE } from './describe-rules.ts';

/** Parts of a turn's prompt, whose texts are not escaped yet. */
export type PromptSource = {
  agent: Agent;
  options: TurnOptions;
  contextTokens: number;
  ratio: number;
  current: Exchange<ConversationTurn>;
  /** Earlier exchanges, oldest first. */
  history: readonly Exchange<ConversationTurn>[];
  context: readonly PromptItem[];
  chooseMemories: (budgetTokens: number) => ChosenMemories;
  /**
   * True if the history comes from the caller; then even its answers may not have been written by
   * the agent.
   */
  isForeign?: boolean;
  summary?: string;
  hint?: string;
  tools: readonly OfferedTool[];
  passages: readonly Passage[];
  toolTexts?: readonly string[];
  isTainted?: boolean;
};

export type PreparedPrompt = {
  prompt: Prompt;
  grounding: GroundingEntry[];
  dropped: FittedPrompt<ConversationTurn, ShownPassage>['dropped'];
  estimatedTokens: number;
  /** Unescaped texts of the prompt that neither the service nor the agent wrote. */
  untrustedTexts: string[];
  isTainted: boolean;
  /** Token budget for all tool results of the turn. */
  resultTokensMax: number;
  extend: (turns: readonly ConversationTurn[], toolTexts: readonly string[]) => PreparedPrompt;
};

type ShownPassage = { text: string; passage: Passage };

const ANSWER_TOKENS = 4_000;
/**
 * Maximum share of the context window that is reserved for the answer if the turn sets no output
 * limit; it matters for small windows.
 */
const ANSWER_SHARE = 0.25;
/** Share of the context window for all tool results of a turn together. */
const RESULTS_SHARE = 0.4;
const TOOL_TOKENS = 12;

/**
 * Prepares the prompt of a turn. Persona, rules and memories come first, because they seldom change
 * between calls, so that the provider can cache them. Throws REQUEST_TOO_LARGE if the required
 * parts do not fit.
 */
export const preparePrompt = (source: PromptSource): PreparedPrompt => {
  const { options, context, current, toolTexts = [] } = source;
  const fitted = fit(source);
  if ('overflow' in fitted) throw promptTooLarge(fitted.overflow);
  const { stable, volatile } = fitted.system;
  const passages = fitted.passages.map(({ passage }) => passage);
  return {
    prompt: {
      system: [stable, volatile].filter((text) => text !== ''),
      turns: fitted.turns,
      ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
      ...(options.maxOutputTokens === undefined
        ? {}
        : { maxOutputTokens: options.maxOutputTokens }),
      wantsJson:
        options.json !== undefined &&
        toRequestedJson(options.json, { hasThoughts: options.reflection }),
      // A JSON answer is not streamed, because it is validated as a whole before it is shown.
      isStreamed: options.json === undefined,
    },
    grounding: passages.map(toGrounding),
    dropped: fitted.dropped,
    estimatedTokens: fitted.estimatedTokens,
    untrustedTexts: listUntrustedTexts(source, passages),
    isTainted: source.isTainted === true || context.length + passages.length + toolTexts.length > 0,
    resultTokensMax: Math.floor(source.contextTokens * RESULTS_SHARE),
    extend: (turns, results) =>
      preparePrompt({
        ...source,
        current: {
          turns: [...current.turns, ...turns],
          tokens: turns.reduce((sum, turn) => sum + estimateTurn(turn), current.tokens),
        },
        toolTexts: [...toolTexts, ...results],
      }),
  };
};

/** Fits the parts into the window and escapes memory tags in untrusted texts. */
const fit = (
  source: PromptSource,
): ReturnType<typeof fitPrompt<ConversationTurn, ShownPassage>> => {
  const { agent, options, current, history, summary, contextTokens } = source;
  const hasTags = !options.json;
  return fitPrompt<ConversationTurn, ShownPassage>({
    window: {
      contextTokens,
      maxOutputTokens:
        options.maxOutputTokens ?? Math.min(ANSWER_TOKENS, contextTokens * ANSWER_SHARE),
      ratio: source.ratio,
    },
    opening: [renderPersona(agent), describeRules({ name: agent.name, hasTags })].join('\n\n'),
    closing: [
      source.hint ?? '',
      source.passages.length > 0 ? CITE_RULE : '',
      describeAnswer(options),
    ]
      .filter(Boolean)
      .join('\n\n'),
    toolTokens: source.tools.reduce((sum, tool) => sum + estimateTool(tool), 0),
    current: escapeExchange(current),
    context: renderContext(source.context).map((block) => ({
      ...block,
      text: escapeMemoryTags(block.text),
    })),
    chooseMemories: source.chooseMemories,
    passages: source.passages.map((passage, index) => ({
      passage,
      text: renderPassage(passage, index + 1),
    })),
    history: history.map(escapeExchange),
    ...(summary ? { summary: escapeMemoryTags(summary) } : {}),
  });
};

const listUntrustedTexts = (
  { history, current, isForeign, summary, context, toolTexts = [] }: PromptSource,
  passages: readonly Passage[],
): string[] => [
  ...[...history, current].flatMap(({ turns }) =>
    turns.filter((turn) => isForeign || isUser(turn)).flatMap(textsOf),
  ),
  summary ?? '',
  ...context.flatMap(({ category, label = '', data }) => [
    category,
    label,
    typeof data === 'string' ? data : JSON.stringify(data),
  ]),
  ...passages.flatMap(({ source, title, text }) => [source, title, text]),
  ...toolTexts,
];

const estimateTool = ({ name, description, parameters }: OfferedTool): number =>
  TOOL_TOKENS + estimateTokens(name + description + parameters);

const describeAnswer = ({ json, reflection }: TurnOptions): string => {
  if (json) return describeShape(json, { hasThoughts: reflection });
  return reflection ? REFLECTION_RULE : '';
};

const isUser = ({ role }: ConversationTurn): boolean => role === 'user';

const textsOf = ({ parts }: ConversationTurn): string[] =>
  parts.flatMap(({ part }) => (part.case === 'text' ? [part.value.text] : []));

const escapeExchange = (exchange: Exchange<ConversationTurn>): Exchange<ConversationTurn> => ({
  ...exchange,
  turns: exchange.turns.map((turn) => ({ ...turn, parts: turn.parts.map(escapePart) })),
});

const escapePart = (part: Part): Part => {
  const { case: kind, value } = part.part;
  if (kind === 'text') {
    return {
      ...part,
      part: { case: kind, value: { ...value, text: escapeMemoryTags(value.text) } },
    };
  }
  if (kind !== 'toolResult') return part;
  const parts = value.parts.map(escapePart);
  return { ...part, part: { case: kind, value: { ...value, parts } } };
};

export type JsonOptions = Required<AnswerShape>;

export type TurnOptions = {
  reflection: boolean;
  json?: JsonOptions;
  temperature?: number;
  maxOutputTokens?: number;
};
