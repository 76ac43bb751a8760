import type { PlannedCall } from './plan-call.ts';
import type { Egress } from './prepare-egress.ts';

/** Tokens that a call may use. */
export type Need = {
  /** At most: its prompt as estimated, and every answer at its longest. */
  amount: number;
  /** Fewer are of no use: its prompt, and a token of every answer. */
  minimum: number;
  /** Answers to one prompt. */
  choices: number;
  /** The prompt as estimated. */
  promptTokens: number;
};

/** What one attempt may use, with what leaves for its provider. */
export const estimateNeed = (
  { asked, promptTokens }: Pick<PlannedCall, 'asked' | 'promptTokens'>,
  { outputTokens }: Pick<Egress, 'outputTokens'>,
  maxOutputTokens: number,
): Need => {
  const choices = asked.form === 'wire' ? asked.summary.choices : 1;
  const longest = Math.max(1, Math.ceil(outputTokens ?? maxOutputTokens));
  return {
    amount: promptTokens + choices * longest,
    minimum: promptTokens + choices,
    choices,
    promptTokens,
  };
};

/** How long each answer may become when only `held` tokens are there for the whole call. */
export const fitOutput = ({ promptTokens, choices }: Need, held: number): number =>
  Math.floor((held - promptTokens) / choices);
