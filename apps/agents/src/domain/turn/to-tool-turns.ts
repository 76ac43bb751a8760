import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { TurnSchema } from '@witan/contracts';
import type { PartSchema, Turn } from '@witan/contracts';
import { estimateTokens } from '../prompt/estimate-tokens.ts';
import type { ToolRequest, ToolRun } from '../tool/tool.ts';

/** A result as the model is told it. */
export type ToldResult = { id: string; text: string; isError: boolean };

/** However many tools answered at once, each has room for a few sentences. */
const RESULT_TOKENS_MIN = 200;

/**
 * What a model is told of its calls: no more than so many tokens together, shared out evenly. What
 * is cut says so; the caller's trace has all of it.
 */
export const cutResults = (runs: readonly ToolRun[], tokensMax: number): ToldResult[] => {
  const share = Math.max(RESULT_TOKENS_MIN, Math.floor(tokensMax / runs.length));
  return runs.map(({ id, error, result }) => {
    const text = error ?? JSON.stringify(result);
    return { id, isError: error !== null, text: cutText(text, share) };
  });
};

/** Of dense text, so many characters are sure to keep within a token each. */
const cutText = (text: string, tokensMax: number): string => {
  const tokens = estimateTokens(text);
  if (tokens <= tokensMax) return text;
  const length = Math.floor((text.length * tokensMax) / tokens);
  const kept = text.slice(0, length).toWellFormed();
  return `${kept}\n[cut: these are the first ${length} of ${text.length} characters]`;
};

/** Told behind the results when the model may ask for nothing more. */
const ANSWER_NOW = 'Answer now with what you have; no tool can be called any more.';

/** The model's calls and what came of them, as the turns that follow the user's message. */
export const toToolTurns = (
  text: string,
  { calls, results }: { calls: readonly ToolRequest[]; results: readonly ToldResult[] },
  isLastRound: boolean,
): Turn[] => [
  create(TurnSchema, {
    role: 'assistant',
    parts: [...(text.trim() === '' ? [] : [toText(text)]), ...calls.map(toCallPart)],
  }),
  create(TurnSchema, {
    role: 'user',
    parts: [...results.map(toResultPart), ...(isLastRound ? [toText(ANSWER_NOW)] : [])],
  }),
];

type PartInit = MessageInitShape<typeof PartSchema>;

const toText = (text: string): PartInit => ({ part: { case: 'text', value: { text } } });

const toCallPart = ({ id, name, arguments: text }: ToolRequest): PartInit => ({
  part: { case: 'toolCall', value: { id, name, arguments: isObject(text) ? text : '{}' } },
});

/** What is no object no provider takes back; its result says what was wrong with it. */
const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const toResultPart = ({ id, text, isError }: ToldResult): PartInit => ({
  part: { case: 'toolResult', value: { toolCallId: id, parts: [toText(text)], isError } },
});
