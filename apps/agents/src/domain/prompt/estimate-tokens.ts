/** Characters to a token (C6). */
const ASCII_TO_TOKEN = 4;
const CJK_TO_TOKEN = 1.3;
const OTHER_TO_TOKEN = 2.5;

/**
 * Tokens that a text will roughly take (C6), rounded up; 0 only for the empty text. Before the
 * model's own ratio (`learnRatio`). The whole is never estimated higher than the sum of its parts.
 */
export const estimateTokens = (text: string): number => {
  let ascii = 0;
  let cjk = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) ascii += 1;
    else if (isCjk(unit)) cjk += 1;
  }
  // Of a pair beyond the basic plane only the first unit is told apart: both count as other, which
  // is dearer than one ideograph and nearer to what such characters cost.
  const other = text.length - ascii - cjk;
  return Math.ceil(ascii / ASCII_TO_TOKEN + cjk / CJK_TO_TOKEN + other / OTHER_TO_TOKEN);
};

/** Chinese, Japanese and Korean letters and signs, full width forms too. */
const isCjk = (unit: number): boolean =>
  (unit >= 0x2e80 && unit <= 0x9fff) ||
  (unit >= 0xac00 && unit <= 0xd7ff) ||
  (unit >= 0x1100 && unit <= 0x11ff) ||
  (unit >= 0xa960 && unit <= 0xa97f) ||
  (unit >= 0xf900 && unit <= 0xfaff) ||
  (unit >= 0xfe30 && unit <= 0xfe4f) ||
  (unit >= 0xff00 && unit <= 0xffef);

/** Actual to estimated tokens of a model of which nothing is known yet. */
export const UNKNOWN_RATIO = 1;
const MIN_RATIO = 0.7;
const MAX_RATIO = 1.6;
/** How much the newest call counts against all before it. */
const NEWEST_SHARE = 0.2;
/** Of shorter prompts, what a provider puts around them weighs more than the text. */
const MIN_LEARNT_TOKENS = 64;

/**
 * A model's ratio after one more call: `estimated` by `estimateTokens` alone, without a ratio;
 * `actual` as the provider counted. `previous` is undefined before the first. Between 0.7 and 1.6.
 */
export const learnRatio = (
  previous: number | undefined,
  { estimated, actual }: { estimated: number; actual: number },
): number => {
  const isUsable = estimated >= MIN_LEARNT_TOKENS && actual > 0 && Number.isFinite(actual);
  if (!isUsable) return clampRatio(previous ?? UNKNOWN_RATIO);
  // One wild count must not outweigh a hundred sane ones.
  const newest = clampRatio(actual / estimated);
  if (previous === undefined) return newest;
  return clampRatio(previous + NEWEST_SHARE * (newest - previous));
};

const clampRatio = (ratio: number): number => Math.min(MAX_RATIO, Math.max(MIN_RATIO, ratio));
