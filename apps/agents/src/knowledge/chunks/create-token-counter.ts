import { estimateTokens } from '../../prompt/estimate-tokens.ts';

/** Token estimates for parts of a text, which are computed once in steps of `STEP` UTF-16 units. */
export type TokenCounter = {
  /**
   * Returns the end of the longest part that starts at `from`, ends at a step and has at most
   * `tokens` tokens. If even the part up to the next step has more, returns the end of that part.
   */
  endWithin: (from: number, tokens: number) => number;
  /**
   * Returns the number of tokens from `from` to the end of the text. Counting stops above `upTo`,
   * so a larger result means only that there are more than `upTo`.
   */
  tokensLeft: (from: number, upTo: number) => number;
};

const STEP = 64;

/**
 * Creates a counter for the text from `begin` to `end`. The sum of a part's steps is never below
 * the estimate of the whole part, because estimates are subadditive.
 */
export const createTokenCounter = (text: string, begin: number, end: number): TokenCounter => {
  const count = Math.ceil((end - begin) / STEP);
  const steps = new Uint8Array(count);
  const endOf = (step: number): number => Math.min(end, begin + (step + 1) * STEP);
  for (let step = 0; step < count; step += 1) {
    steps[step] = estimateTokens(text.slice(begin + step * STEP, endOf(step)));
  }
  const stepOf = (position: number): number => Math.floor((position - begin) / STEP);
  const firstPart = (from: number): number => estimateTokens(text.slice(from, endOf(stepOf(from))));
  return {
    endWithin: (from, tokens) => {
      let step = stepOf(from);
      let sum = firstPart(from);
      while (step + 1 < count && sum + steps[step + 1]! <= tokens) sum += steps[(step += 1)]!;
      return endOf(step);
    },
    tokensLeft: (from, upTo) => {
      let sum = firstPart(from);
      for (let step = stepOf(from) + 1; step < count && sum <= upTo; step += 1) sum += steps[step]!;
      return sum;
    },
  };
};
