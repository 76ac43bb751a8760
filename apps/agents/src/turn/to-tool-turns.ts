import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { TurnSchema } from '@witan/contracts';
import type { PartSchema, Turn } from '@witan/contracts';
import { isTooDeep } from '@witan/dialects';
import { estimateTokens } from '../prompt/estimate-tokens.ts';
import { JSON_DEPTH_MAX } from '../tool/check-tool.ts';
import { ARGUMENTS_LENGTH_MAX, NO_ARGUMENTS } from '../tool/read-arguments.ts';
import type { ToolRequest, ToolRun } from '../tool/tool.ts';

export type ToolResultText = { callId: string; text: string; isError: boolean };

/** Minimum number of tokens to which a tool result is truncated, enough for a sentence. */
const RESULT_TOKENS_MIN = 30;

/**
 * Truncates tool results to about `tokensMax` tokens in total. What short results leave of their
 * equal share is divided evenly among the others. A truncated result ends with a note; its
 * `ToolRun` still contains the full text.
 */
export const truncateResults = (runs: readonly ToolRun[], tokensMax: number): ToolResultText[] => {
  const results = runs.map(({ id, error, result }) => {
    const text = error ?? result!;
    return { callId: id, isError: error !== null, text, tokens: estimateTokens(text) };
  });
  const share = toShare(
    results.map(({ tokens }) => tokens),
    tokensMax,
  );
  return results.map(({ callId, isError, text, tokens }) => ({
    callId,
    isError,
    text: tokens <= share ? text : truncateText(text, { tokens, tokensMax: share }),
  }));
};

const toShare = (counts: readonly number[], tokensMax: number): number => {
  let left = tokensMax;
  for (const [index, tokens] of counts.toSorted((a, b) => a - b).entries()) {
    const share = Math.max(RESULT_TOKENS_MIN, Math.floor(left / (counts.length - index)));
    if (tokens > share) return share;
    left -= tokens;
  }
  return Infinity;
};

/**
 * Truncates a text to about `tokensMax` tokens. The beginning may have more tokens per character
 * than the whole text, so truncation is repeated until the estimate fits.
 */
const truncateText = (
  text: string,
  { tokens, tokensMax }: { tokens: number; tokensMax: number },
): string => {
  let length = text.length;
  for (let count = tokens; count > tokensMax; count = estimateTokens(text.slice(0, length))) {
    length = Math.floor((length * tokensMax) / count);
  }
  const beginning = text.slice(0, length).toWellFormed();
  return `${beginning}\n[cut: these are the first ${length} of ${text.length} characters]`;
};

const ANSWER_NOW_INSTRUCTION = 'Answer now with what you have; no tool can be called any more.';

export const toToolTurns = (
  text: string,
  { calls, results }: { calls: readonly ToolRequest[]; results: readonly ToolResultText[] },
  isLastRound: boolean,
): Turn[] => [
  create(TurnSchema, {
    role: 'assistant',
    parts: [...(text.trim() === '' ? [] : [toText(text)]), ...calls.map(toCallPart)],
  }),
  create(TurnSchema, {
    role: 'user',
    parts: [...results.map(toResultPart), ...(isLastRound ? [toText(ANSWER_NOW_INSTRUCTION)] : [])],
  }),
];

type PartInit = MessageInitShape<typeof PartSchema>;

const toText = (text: string): PartInit => ({ part: { case: 'text', value: { text } } });

/**
 * Returns the prompt part of a tool call, with a name or arguments that providers would reject
 * replaced; the tool result describes the error to the model.
 */
const toCallPart = ({ id, name, arguments: text }: ToolRequest): PartInit => ({
  part: {
    case: 'toolCall',
    value: { id, name: toName(name), arguments: isObject(text) ? text : NO_ARGUMENTS },
  },
});

const NAME_LENGTH_MAX = 64;

/** Returns a valid tool name, because models invent invalid ones such as `functions.rate`. */
const toName = (name: string): string =>
  name.slice(0, NAME_LENGTH_MAX).replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'unknown';

const isObject = (text: string): boolean => {
  if (text.length > ARGUMENTS_LENGTH_MAX || isTooDeep(text, JSON_DEPTH_MAX)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const toResultPart = ({ callId, text, isError }: ToolResultText): PartInit => ({
  part: { case: 'toolResult', value: { toolCallId: callId, parts: [toText(text)], isError } },
});
