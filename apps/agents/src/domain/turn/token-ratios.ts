import { learnRatio, UNKNOWN_RATIO } from '../prompt/estimate-tokens.ts';

/** How many tokens prompts really have, by model, as far as this process has seen. */
export type TokenRatios = {
  of: (model: string) => number;
  learn: (model: string, counts: { estimated: number; actual: number }) => void;
};

/** Models that are remembered; the one that was learnt longest ago gives way. */
const MODELS_MAX = 1_000;

export const createTokenRatios = (): TokenRatios => {
  const ratios = new Map<string, number>();
  return {
    of: (model) => ratios.get(model) ?? UNKNOWN_RATIO,
    learn: (model, counts) => {
      const ratio = learnRatio(ratios.get(model), counts);
      ratios.delete(model);
      ratios.set(model, ratio);
      if (ratios.size > MODELS_MAX) ratios.delete(ratios.keys().next().value!);
    },
  };
};
