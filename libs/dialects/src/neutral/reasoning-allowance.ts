import type { Sampling } from '@witan/contracts';

/**
 * Tokens that a model may spend on reasoning before its answer, by reasoning effort. No effort
 * counts as `medium`, and an effort that is not listed gets REASONING_TOKENS_MAX.
 */
const REASONING_TOKENS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 1_000],
  ['low', 4_000],
  ['medium', 8_000],
]);
const REASONING_TOKENS_MAX = 16_000;

export const reasoningAllowance = (effort: string): number =>
  REASONING_TOKENS.get(effort || 'medium') ?? REASONING_TOKENS_MAX;

/** Returns the reasoning effort to request from the provider; empty for the model's default. */
export const toEffort = (
  sampling: Pick<Sampling, 'reasoningEffort' | 'shortAnswer'> | undefined,
): string => sampling?.reasoningEffort || (sampling?.shortAnswer ? 'low' : '');
