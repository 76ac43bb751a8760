import { toTextTurn } from '../prompt/to-text-turn.ts';
import { doubleOutputLimit } from './raise-output-limit.ts';
import type { Prompt } from './model-call.ts';

/** An unusable answer and the instruction of its retry. */
export type UnusableAnswer = {
  /** As the model wrote it. */
  raw: string;
  /** The error, described for the model. */
  instruction: string;
  /** The answer was cut off; the retry gets a higher limit. */
  isCut: boolean;
};

/** Returns the prompt of a retry: the answer, its error, temperature 0, little reasoning. */
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
