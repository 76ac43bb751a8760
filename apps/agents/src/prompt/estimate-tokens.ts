const ASCII_PER_TOKEN = 4;
const CJK_PER_TOKEN = 1.3;
const OTHER_PER_TOKEN = 2.5;

/**
 * Estimates the tokens of a text for any model; `learnRatio` corrects the estimate per model. It is
 * subadditive: the estimate of a text is never more than the sum over its parts. It is 0 only for
 * the empty text.
 */
export const estimateTokens = (text: string): number => {
  let ascii = 0;
  let cjk = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) ascii += 1;
    else if (isCjk(unit)) cjk += 1;
  }
  // Each half of a surrogate pair counts as one other character, which is close to the real cost.
  const other = text.length - ascii - cjk;
  return Math.ceil(ascii / ASCII_PER_TOKEN + cjk / CJK_PER_TOKEN + other / OTHER_PER_TOKEN);
};

const isCjk = (unit: number): boolean =>
  (unit >= 0x2e80 && unit <= 0x9fff) ||
  (unit >= 0xac00 && unit <= 0xd7ff) ||
  (unit >= 0x1100 && unit <= 0x11ff) ||
  (unit >= 0xa960 && unit <= 0xa97f) ||
  (unit >= 0xf900 && unit <= 0xfaff) ||
  (unit >= 0xfe30 && unit <= 0xfe4f) ||
  (unit >= 0xff00 && unit <= 0xffef);

const UNKNOWN_RATIO = 1;
const MIN_RATIO = 0.7;
const MAX_RATIO = 1.6;
/** Weight of the newest call in the moving average of the ratio. */
const NEWEST_SHARE = 0.2;
/**
 * Shortest prompt from which the ratio is learned; in shorter prompts the provider's framing
 * outweighs the text.
 */
const MIN_LEARNED_TOKENS = 64;

/**
 * Returns a model's updated ratio of actual to estimated tokens. `previous` is undefined for the
 * first call.
 */
export const learnRatio = (
  previous: number | undefined,
  { estimated, actual }: { estimated: number; actual: number },
): number => {
  const isUsable = estimated >= MIN_LEARNED_TOKENS && actual > 0 && Number.isFinite(actual);
  if (!isUsable) return clampRatio(previous ?? UNKNOWN_RATIO);
  const newest = clampRatio(actual / estimated);
  if (previous === undefined) return newest;
  return clampRatio(previous + NEWEST_SHARE * (newest - previous));
};

const clampRatio = (ratio: number): number => Math.min(MAX_RATIO, Math.max(MIN_RATIO, ratio));

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
