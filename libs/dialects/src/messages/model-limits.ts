/** Limits by model name. Unknown names have the limits of the newest models. */
type ModelRule = { names: RegExp; outputTokens: number };

/** Models whose limit is below the default for an absent `max_tokens`. */
const SMALL_OUTPUTS: readonly ModelRule[] = [
  { names: /^claude-(?:instant|v?[12])\b/, outputTokens: 4096 },
  { names: /^claude-3-(?:opus|sonnet|haiku)/, outputTokens: 4096 },
  { names: /^claude-3-5-/, outputTokens: 8192 },
];

/** Claude 4.6 and older. Later ones refuse every sampling parameter. */
const SAMPLING = /^claude-(?:instant|v?[1-3]|(?:opus|sonnet|haiku)-4(?:$|-[0-6](?!\d)|-20\d{6}))/;
/** Models that refuse `temperature` together with `top_p`. */
const ONE_OF_BOTH = /^claude-(?:opus|sonnet|haiku)-4-[1-6](?!\d)/;
/** Models from before there was `output_config.effort`. */
const NO_EFFORT =
  /^claude-(?:instant|v?[1-3]|haiku-4|opus-4(?:$|-[01](?!\d)|-20\d{6})|sonnet-4(?:$|-[0-5](?!\d)|-20\d{6}))/;
const NO_HIGHEST_EFFORT = /^claude-opus-4-5/;
const NO_HIGHER_EFFORT = /^claude-(?:opus|sonnet)-4-[56](?!\d)/;
const CLAUDE = /^claude-/;
/** Claude 4 and older reason only on request; later ones unless it is disabled. */
const NO_REASONING = /^claude-(?:instant|v?[1-3]|(?:opus|sonnet|haiku)-4)/;

/** Returns the `max_tokens` of a call without one, which this dialect requires. */
export const defaultOutputTokens = (model: string, maxOutputTokens: number): number => {
  const rule = SMALL_OUTPUTS.find(({ names }) => names.test(model));
  return Math.min(maxOutputTokens, rule?.outputTokens ?? maxOutputTokens);
};

/**
 * Returns whether a model accepts `temperature`, `top_p` and `top_k`, as other makers' models do.
 */
export const takesSampling = (model: string): boolean =>
  !CLAUDE.test(model) || SAMPLING.test(model);

/** Returns whether a model accepts `temperature` and `top_p` in one call. */
export const takesBoth = (model: string): boolean => !ONE_OF_BOTH.test(model);

/** Returns whether a model accepts a value of `output_config.effort`. */
export const takesEffort = (model: string, effort: string): boolean => {
  if (NO_EFFORT.test(model)) return false;
  if (effort === 'xhigh') return !NO_HIGHER_EFFORT.test(model);
  if (effort === 'max') return !NO_HIGHEST_EFFORT.test(model);
  return effort === 'low' || effort === 'medium' || effort === 'high';
};

/** Returns whether a model reasons without request, which counts against `max_tokens`. */
export const reasonsUnasked = (model: string): boolean =>
  CLAUDE.test(model) && !NO_REASONING.test(model);
