import { estimateTokens } from '../../prompt/estimate-tokens.ts';

/** Token estimates for parts of a text, with a granularity of `STEP` units. */
export type TokenCounter = {
  /** Returns the furthest end of a part that starts at `from` and has at most `tokens` tokens. */
  endWithin: (from: number, tokens: number) => number;
  /**
   * Returns the number of tokens from an offset to the end. Counting stops at `upTo` tokens, so the
   * result is exact only up to that number.
   */
  tokensLeft: (from: number, upTo: number) => number;
};

const STEP = 64;

/**
 * Estimates the tokens of a text once, in steps. The sum of the steps is never below the estimate
 * of the whole part, because estimates are subadditive.
 */
export const createTokenCounter = (text: string, begin: number, end: number): TokenCounter => {
  const count = Math.ceil((end - begin) / STEP);
  const steps = new Uint8Array(count);
  const endOf = (step: number): number => Math.min(end, begin + (step + 1) * STEP);
  for (let step = 0; step < count; step += 1) {
    steps[step] = estimateTokens(text.slice(begin + step * STEP, endOf(step)));
  }
  const stepAt = (at: number): number => Math.floor((at - begin) / STEP);
  const firstPart = (from: number): number => estimateTokens(text.slice(from, endOf(stepAt(from))));
  return {
    endWithin: (from, tokens) => {
      let step = stepAt(from);
      let sum = firstPart(from);
      while (step + 1 < count && sum + steps[step + 1]! <= tokens) sum += steps[(step += 1)]!;
      return endOf(step);
    },
    tokensLeft: (from, upTo) => {
      let sum = firstPart(from);
      for (let step = stepAt(from) + 1; step < count && sum <= upTo; step += 1) sum += steps[step]!;
      return sum;
    },
  };
};
