import type { AnswerPiece, NeutralAnswer } from '@witan/dialects';
import type { AnswerChoice, AnswerGatherer } from '@witan/proof';
import type { CompletionEvent } from './completion.ts';
import type { Delivered } from './certify-ending.ts';

export const toPartEvent = (piece: AnswerPiece): CompletionEvent => ({
  event: { case: 'part', value: { part: piece } },
});

/**
 * Returns the answer as the client received it, with the usage that the provider reported. If the
 * provider began a choice without content, the answer has one empty choice, whatever its dialect.
 * `bufferedSize` returns the size of a decoder's buffer in UTF-16 units; it counts as memory too.
 */
export const toDelivered = (
  neutral: NeutralAnswer,
  provider: Pick<AnswerGatherer, 'choices' | 'usage' | 'contentBytes'>,
  bufferedSize: () => number = () => 0,
): Delivered => ({
  choices: () => {
    const choices = neutral.choices();
    return choices.length === 0 && provider.choices().length > 0 ? [EMPTY_CHOICE] : choices;
  },
  get usage() {
    return provider.usage;
  },
  get contentBytes() {
    return Math.max(provider.contentBytes, neutral.length + bufferedSize());
  },
});

const EMPTY_CHOICE: AnswerChoice = { index: 0, content: null, toolCalls: [] };
