import { learnRatio, UNKNOWN_RATIO } from '../prompt/estimate-tokens.ts';

/** Ratios of actual to estimated tokens by model, learned in this process. */
export type TokenRatios = {
  of: (model: string) => number;
  learn: (model: string, counts: { estimated: number; actual: number }) => void;
};

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
