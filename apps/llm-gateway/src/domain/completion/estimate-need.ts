import type { PlannedCall } from './plan-call.ts';
import type { Egress } from './prepare-egress.ts';

export type Need = {
  /** Tokens that the call may use at most: the estimated prompt and the longest allowed answers. */
  amount: number;
  /** Fewest tokens with which the call is useful: the prompt and one token per answer. */
  minimum: number;
  choices: number;
  promptTokens: number;
};

export const estimateNeed = (
  { input, promptTokens }: Pick<PlannedCall, 'input' | 'promptTokens'>,
  { outputTokens }: Pick<Egress, 'outputTokens'>,
  maxOutputTokens: number,
): Need => {
  const choices = input.form === 'wire' ? input.summary.choices : 1;
  const longest = Math.max(1, Math.ceil(outputTokens ?? maxOutputTokens));
  return {
    amount: promptTokens + choices * longest,
    minimum: promptTokens + choices,
    choices,
    promptTokens,
  };
};

/** Returns the output limit per answer when only `held` tokens are reserved for the whole call. */
export const fitOutput = ({ promptTokens, choices }: Need, held: number): number =>
  Math.floor((held - promptTokens) / choices);
