/** What a model's name says it takes. Names that no rule knows take what the newest models take. */
type ModelRule = { names: RegExp; outputTokens: number };

/** Models whose own limit is below what an absent `max_tokens` would ask for. */
const SMALL_OUTPUTS: readonly ModelRule[] = [
  { names: /^claude-(?:instant|v?[12])\b/, outputTokens: 4096 },
  { names: /^claude-3-(?:opus|sonnet|haiku)/, outputTokens: 4096 },
  { names: /^claude-3-5-/, outputTokens: 8192 },
];

/** Claude 4.6 and older. Later ones refuse every sampling parameter. */
const SAMPLING = /^claude-(?:instant|v?[1-3]|(?:opus|sonnet|haiku)-4(?:$|-[0-6](?!\d)|-20\d{6}))/;
/** These refuse a temperature and `top_p` together. */
const ONE_OF_BOTH = /^claude-(?:opus|sonnet|haiku)-4-[1-6](?!\d)/;
/** Models from before there was `output_config.effort`. */
const NO_EFFORT =
  /^claude-(?:instant|v?[1-3]|haiku-4|opus-4(?:$|-[01](?!\d)|-20\d{6})|sonnet-4(?:$|-[0-5](?!\d)|-20\d{6}))/;
const NO_HIGHEST_EFFORT = /^claude-opus-4-5/;
const NO_HIGHER_EFFORT = /^claude-(?:opus|sonnet)-4-[56](?!\d)/;
const CLAUDE = /^claude-/;
/** Claude 4 and older reason only when asked to; later ones unless they are told not to. */
const NO_REASONING = /^claude-(?:instant|v?[1-3]|(?:opus|sonnet|haiku)-4)/;

/** The `max_tokens` of a call that does not say one: this dialect demands it. */
export const defaultOutputTokens = (model: string, maxOutputTokens: number): number => {
  const rule = SMALL_OUTPUTS.find(({ names }) => names.test(model));
  return Math.min(maxOutputTokens, rule?.outputTokens ?? maxOutputTokens);
};

/** Whether a model takes `temperature`, `top_p` and `top_k`. Models of other makers do. */
export const takesSampling = (model: string): boolean =>
  !CLAUDE.test(model) || SAMPLING.test(model);

/** Whether a model takes `temperature` and `top_p` in one call. */
export const takesBoth = (model: string): boolean => !ONE_OF_BOTH.test(model);

/** Whether a model takes a value of `output_config.effort`. */
export const takesEffort = (model: string, effort: string): boolean => {
  if (NO_EFFORT.test(model)) return false;
  if (effort === 'xhigh') return !NO_HIGHER_EFFORT.test(model);
  if (effort === 'max') return !NO_HIGHEST_EFFORT.test(model);
  return effort === 'low' || effort === 'medium' || effort === 'high';
};

/** Whether a model reasons unasked, which counts against `max_tokens`. */
export const reasonsUnasked = (model: string): boolean =>
  CLAUDE.test(model) && !NO_REASONING.test(model);
