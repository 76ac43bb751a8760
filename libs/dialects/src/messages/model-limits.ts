type ModelRule = { names: RegExp; outputTokens: number };

/**
 * Models whose maximum output is smaller than the `max_tokens` that a request without one otherwise
 * gets. Unknown models are treated like the newest ones.
 */
const SMALL_OUTPUTS: readonly ModelRule[] = [
  { names: /^claude-(?:instant|v?[12])\b/, outputTokens: 4096 },
  { names: /^claude-3-(?:opus|sonnet|haiku)/, outputTokens: 4096 },
  { names: /^claude-3-5-/, outputTokens: 8192 },
];

/**
 * Matches Claude models up to 4.6, which accept sampling parameters; later models refuse all of
 * them.
 */
const SAMPLING = /^claude-(?:instant|v?[1-3]|(?:opus|sonnet|haiku)-4(?:$|-[0-6](?!\d)|-20\d{6}))/;
const ONE_SAMPLING_PARAMETER = /^claude-(?:opus|sonnet|haiku)-4-[1-6](?!\d)/;
const NO_EFFORT =
  /^claude-(?:instant|v?[1-3]|haiku-4|opus-4(?:$|-[01](?!\d)|-20\d{6})|sonnet-4(?:$|-[0-5](?!\d)|-20\d{6}))/;
const NO_MAX_EFFORT = /^claude-opus-4-5/;
const NO_XHIGH_EFFORT = /^claude-(?:opus|sonnet)-4-[56](?!\d)/;
const CLAUDE = /^claude-/;
/**
 * Matches Claude models up to 4.x, which reason only on request; later models reason unless the
 * request disables it.
 */
const NO_REASONING = /^claude-(?:instant|v?[1-3]|(?:opus|sonnet|haiku)-4)/;

/** Returns the `max_tokens` for a call that sets none, because this dialect requires the member. */
export const defaultOutputTokens = (model: string, maxOutputTokens: number): number => {
  const rule = SMALL_OUTPUTS.find(({ names }) => names.test(model));
  return Math.min(maxOutputTokens, rule?.outputTokens ?? maxOutputTokens);
};

export const acceptsSampling = (model: string): boolean =>
  !CLAUDE.test(model) || SAMPLING.test(model);

export const acceptsTemperatureWithTopP = (model: string): boolean =>
  !ONE_SAMPLING_PARAMETER.test(model);

export const acceptsEffort = (model: string, effort: string): boolean => {
  if (NO_EFFORT.test(model)) return false;
  if (effort === 'xhigh') return !NO_XHIGH_EFFORT.test(model);
  if (effort === 'max') return !NO_MAX_EFFORT.test(model);
  return effort === 'low' || effort === 'medium' || effort === 'high';
};

/**
 * Returns whether a model reasons unless the request disables it. Reasoning counts against
 * `max_tokens`.
 */
export const reasonsByDefault = (model: string): boolean =>
  CLAUDE.test(model) && !NO_REASONING.test(model);
