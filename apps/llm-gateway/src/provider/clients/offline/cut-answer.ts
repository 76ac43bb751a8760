import type { FinishReason } from './chat-completion.ts';
import { cutToTokens } from './estimate-tokens.ts';
import { isRecord } from './is-record.ts';

export type AnswerLimits = {
  readonly stops: readonly string[];
  readonly maxTokens: number;
};

const MAX_STOPS = 4;

export function readAnswerLimits(body: unknown): AnswerLimits {
  const { stop, max_tokens: old, max_completion_tokens: current } = isRecord(body) ? body : {};
  const stops = [stop].flat().filter((text) => typeof text === 'string' && text !== '');
  const limits = [old, current].filter((limit) => typeof limit === 'number' && limit >= 1);
  return {
    stops: stops.slice(0, MAX_STOPS) as string[],
    maxTokens: Math.min(...limits.map(Number)),
  };
}

/**
 * Cuts `text` before the first stop sequence and then at the token limit (`estimateTokens`), for
 * which the finish reason is `length`.
 */
export function cutAnswer(
  text: string,
  { stops, maxTokens }: AnswerLimits,
): { text: string; finishReason: FinishReason } {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  const stopped = text.slice(0, Math.min(text.length, ...ends));
  const short = cutToTokens(stopped, maxTokens);
  return { text: short, finishReason: short === stopped ? 'stop' : 'length' };
}
