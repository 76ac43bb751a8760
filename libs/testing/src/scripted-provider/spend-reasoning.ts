import { type ChatAnswer, toText } from './chat-answer.ts';

export type ReasoningRequest = {
  readonly model?: string;
  readonly reasoning_effort?: unknown;
  readonly max_completion_tokens?: unknown;
};

const REASONING_MODEL = /^(?:o\d|gpt-5(?!-chat))/;
const SMALL_MODEL = /-(?:mini|nano)/;
/** Published measurements of reasoning tokens, for an answer of 120 tokens at default effort. */
const REASONING_TOKENS = 1_408;
const SMALL_REASONING_TOKENS = 700;
const EFFORTS: Readonly<Record<string, number>> = { none: 0, minimal: 0, low: 0.25, high: 4 };
const CHARACTERS_PER_TOKEN = 4;
const DEFAULT_PROMPT_TOKENS = 3;

export const isReasoningModel = ({ model }: ReasoningRequest): boolean =>
  model !== undefined && REASONING_MODEL.test(model);

export const findUnsupportedParameter = (request: ReasoningRequest): string | undefined =>
  isReasoningModel(request) ? RESTRICTED.find((name) => isUnsupported(name, request)) : undefined;

const RESTRICTED = ['temperature', 'top_p', 'max_tokens'] as const;

/**
 * Returns true if the request sets `max_tokens`, or sets a sampling parameter to a value other than
 * 1.
 */
const isUnsupported = (name: (typeof RESTRICTED)[number], request: ReasoningRequest): boolean => {
  const value = (request as Readonly<Record<string, unknown>>)[name] ?? null;
  return value !== null && (name === 'max_tokens' || value !== 1);
};

/**
 * Applies the token accounting of a reasoning model: reasoning is spent first and counts against
 * the output limit. An answer that exceeds the remaining tokens is truncated, possibly to nothing,
 * and ends with `length`. The result has the usage that the test gives, unless the answer is
 * truncated.
 */
export const spendReasoning = (answer: ChatAnswer, request: ReasoningRequest): ChatAnswer => {
  if (!isReasoningModel(request)) return answer;
  const limit = Number(request.max_completion_tokens ?? Number.POSITIVE_INFINITY);
  const reasoning = Math.min(limit, answer.reasoningTokens ?? reasoningTokensOf(request));
  const text = toText(answer);
  const calls = (answer.toolCalls ?? []).map((call) => call.arguments).join('');
  const neededTokens = Math.ceil((text.length + calls.length) / CHARACTERS_PER_TOKEN);
  const answerTokens = Math.min(neededTokens, limit - reasoning);
  const { prompt_tokens: prompt = DEFAULT_PROMPT_TOKENS } = answer.usage ?? {};
  const usage = {
    ...answer.usage,
    prompt_tokens: prompt,
    completion_tokens: reasoning + answerTokens,
    total_tokens: Number(prompt) + reasoning + answerTokens,
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
  if (answerTokens === neededTokens) return { ...answer, usage: answer.usage ?? usage };
  const content = text.slice(0, answerTokens * CHARACTERS_PER_TOKEN);
  return { ...answer, content, toolCalls: [], finishReason: 'length', usage };
};

const reasoningTokensOf = ({ model, reasoning_effort: effort }: ReasoningRequest): number => {
  const fullEffort = SMALL_MODEL.test(model ?? '') ? SMALL_REASONING_TOKENS : REASONING_TOKENS;
  return Math.round(fullEffort * (EFFORTS[String(effort)] ?? 1));
};
