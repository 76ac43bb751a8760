import type { Asked, PlannedCall } from './plan-call.ts';

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

/** What one attempt may use; output limits are read as they leave, clamped to `maxOutputTokens`. */
export const estimateNeed = (
  { asked, promptTokens }: Pick<PlannedCall, 'asked' | 'promptTokens'>,
  maxOutputTokens: number,
): Need => {
  const choices = asked.form === 'wire' ? asked.facts.choices : 1;
  const longest = Math.min(readLimit(asked) ?? maxOutputTokens, maxOutputTokens);
  return {
    amount: promptTokens + choices * Math.max(1, Math.ceil(longest)),
    minimum: promptTokens + choices,
    choices,
    promptTokens,
  };
};

/** How long each answer may become when only `held` tokens are there for the whole call. */
export const fitOutput = ({ promptTokens, choices }: Need, held: number): number =>
  Math.floor((held - promptTokens) / choices);

const readLimit = (asked: Asked): number | undefined => {
  if (asked.form === 'neutral') return asked.conversation.sampling?.maxOutputTokens;
  const limits = Object.values(asked.facts.outputLimits);
  // Of two names for one thing nobody knows which one the provider obeys.
  return limits.length > 0 ? Math.max(...limits) : undefined;
};
