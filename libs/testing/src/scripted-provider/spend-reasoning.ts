import { type ChatAnswer, toText } from './chat-answer.ts';

/** What of a chat-completions request decides how a model that reasons answers it. */
export type ReasoningRequest = {
  readonly model?: string;
  readonly reasoning_effort?: unknown;
  readonly max_completion_tokens?: unknown;
};

const REASONING_MODEL = /^(?:o\d|gpt-5(?!-chat))/;
const SMALL_MODEL = /-(?:mini|nano)/;
/** As measured in public before an answer of 120 tokens, at the models' own effort. */
const REASONING_TOKENS = 1_408;
const SMALL_REASONING_TOKENS = 700;
const EFFORTS: Readonly<Record<string, number>> = { none: 0, minimal: 0, low: 0.25, high: 4 };
const CHARACTERS_PER_TOKEN = 4;
const DEFAULT_PROMPT_TOKENS = 3;

/** Whether OpenAI counts the model's reasoning against its output limit. */
export const reasons = ({ model }: ReasoningRequest): boolean =>
  model !== undefined && REASONING_MODEL.test(model);

/** The first member that a reasoning model refuses; undefined: it takes the request. */
export const findRefused = (request: ReasoningRequest): string | undefined =>
  reasons(request) ? REFUSED.find((name) => isRefused(name, request)) : undefined;

const REFUSED = ['temperature', 'top_p', 'max_tokens'] as const;

/** 1 is the only value of the sampling parameters that is taken. */
const isRefused = (name: (typeof REFUSED)[number], request: ReasoningRequest): boolean => {
  const value = (request as Readonly<Record<string, unknown>>)[name] ?? null;
  return value !== null && (name === 'max_tokens' || value !== 1);
};

/**
 * The answer as a reasoning model gives it: its reasoning is spent first, against the same limit.
 * What does not fit is cut off, and an answer without room for a word is empty; both end in
 * `length`. A usage that the answer states stands unless it is cut.
 */
export const spendReasoning = (answer: ChatAnswer, request: ReasoningRequest): ChatAnswer => {
  if (!reasons(request)) return answer;
  const limit = Number(request.max_completion_tokens ?? Number.POSITIVE_INFINITY);
  const reasoning = Math.min(limit, answer.reasoningTokens ?? reasoningTokensOf(request));
  const text = toText(answer);
  const calls = (answer.toolCalls ?? []).map((call) => call.arguments).join('');
  const wanted = Math.ceil((text.length + calls.length) / CHARACTERS_PER_TOKEN);
  const spoken = Math.min(wanted, limit - reasoning);
  const { prompt_tokens: prompt = DEFAULT_PROMPT_TOKENS } = answer.usage ?? {};
  const usage = {
    ...answer.usage,
    prompt_tokens: prompt,
    completion_tokens: reasoning + spoken,
    total_tokens: Number(prompt) + reasoning + spoken,
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
  if (spoken === wanted) return { ...answer, usage: answer.usage ?? usage };
  const content = text.slice(0, spoken * CHARACTERS_PER_TOKEN);
  return { ...answer, content, toolCalls: [], finishReason: 'length', usage };
};

const reasoningTokensOf = ({ model, reasoning_effort: effort }: ReasoningRequest): number => {
  const own = SMALL_MODEL.test(model ?? '') ? SMALL_REASONING_TOKENS : REASONING_TOKENS;
  return Math.round(own * (EFFORTS[String(effort)] ?? 1));
};
