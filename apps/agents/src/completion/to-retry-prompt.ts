import { ServiceError } from '@witan/contracts';
import { toTextTurn } from '@witan/dialects';
import type { Prompt } from '@witan/dialects';

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

const OUTPUT_TOKENS_MAX = 16_000;

const doubleOutputLimit = (prompt: Prompt): Prompt =>
  raiseOutputLimit(prompt, (limit) => Math.min(limit * 2, OUTPUT_TOKENS_MAX));

export const maximizeOutputLimit = (prompt: Prompt): Prompt =>
  raiseOutputLimit(prompt, () => OUTPUT_TOKENS_MAX);

const raiseOutputLimit = (prompt: Prompt, raiseLimit: (limit: number) => number): Prompt => {
  const { maxOutputTokens: limit } = prompt;
  const raisedSettings =
    limit === undefined ? {} : { maxOutputTokens: Math.max(limit, raiseLimit(limit)) };
  return { ...prompt, ...raisedSettings, isShort: true };
};

/**
 * Returns the error for a call whose retry gave no usable answer either; `proofId` is the id of the
 * retry's certificate.
 */
export const emptyAnswer = (proofId: string): ServiceError =>
  new ServiceError(
    'PROVIDER_INVALID_ANSWER',
    'The model gave no answer that can be shown; try again.',
    { fields: { proof: proofId, empty: 'true' } },
  );
