import { toTextTurn } from '../prompt/to-text-turn.ts';
import { doubleOutputLimit } from './raise-output-limit.ts';
import type { Prompt } from './model-call.ts';

export type UnusableAnswer = {
  raw: string;
  instruction: string;
  isCut: boolean;
};

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
