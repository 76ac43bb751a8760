import type { RequestInput } from '../masking/inspect-call.ts';
import type { Egress } from './prepare-egress.ts';

/** Rule of thumb for English text and JSON; certificates mark estimates as such. */
const BYTES_PER_TOKEN = 4;

export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

export type TokenNeed = {
  /** Tokens that the call may use at most: the estimated prompt and the longest allowed answers. */
  amount: number;
  /** Fewest tokens with which the call is useful: the prompt and one token per answer. */
  minimum: number;
  choices: number;
  promptTokens: number;
};

export const estimateTokenNeed = (
  { input, promptTokens }: { input: RequestInput; promptTokens: number },
  { outputTokens }: Pick<Egress, 'outputTokens'>,
  maxOutputTokens: number,
): TokenNeed => {
  const choices = input.form === 'wire' ? input.summary.choices : 1;
  const outputTokensMax = Math.max(1, Math.ceil(outputTokens ?? maxOutputTokens));
  return {
    amount: promptTokens + choices * outputTokensMax,
    minimum: promptTokens + choices,
    choices,
    promptTokens,
  };
};

/** Returns the output limit per answer when only `held` tokens are reserved for the whole call. */
export const fitOutput = ({ promptTokens, choices }: TokenNeed, held: number): number =>
  Math.floor((held - promptTokens) / choices);
