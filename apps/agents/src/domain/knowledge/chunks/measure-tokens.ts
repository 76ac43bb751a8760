import { estimateTokens } from '../../prompt/estimate-tokens.ts';

/** Estimates pieces of a text that were estimated before, in steps. */
export type Ruler = {
  /** The furthest known end from where there are at most so many tokens; beyond `from`. */
  endWithin: (from: number, tokens: number) => number;
  /** Tokens between an offset and the end, exact up to `upTo`, which is as far as it looks. */
  tokensLeft: (from: number, upTo: number) => number;
};

/** Units that are estimated at once: the fewer, the nearer an end comes to what it may be. */
const STEP = 64;

/**
 * Measures `text` from `begin` to `end` once. What it says is never less than the estimate of the
 * piece: the sum of the parts never is.
 */
export const createRuler = (text: string, begin: number, end: number): Ruler => {
  const count = Math.ceil((end - begin) / STEP);
  /** Tokens of each step. */
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
