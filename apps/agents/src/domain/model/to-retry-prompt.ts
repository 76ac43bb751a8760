import { toTextTurn } from '../prompt/to-text-turn.ts';
import { doubleOutputLimit } from './raise-output-limit.ts';
import type { Prompt } from './model-call.ts';

/** An answer that cannot be used, and what is asked instead. */
export type UnusableAnswer = {
  /** As the model wrote it. */
  raw: string;
  /** What was wrong, as the model reads it. */
  instruction: string;
  /** The output limit ended it: the next one gets more room. */
  isCut: boolean;
};

/** The prompt of a repair: the answer, what was wrong with it, temperature 0, little reasoning. */
export const toRetryPrompt = (
  prompt: Prompt,
  { raw, instruction, isCut }: UnusableAnswer,
): Prompt => ({
  ...(isCut ? doubleOutputLimit(prompt) : prompt),
  isShort: true,
  temperature: 0,
  turns: [
    ...prompt.turns,
    toTextTurn('assistant', raw.trim() === '' ? '...' : raw),
    toTextTurn('user', instruction),
  ],
});
