import type { AnswerPiece, NeutralAnswerCollector } from '@witan/dialects';
import type { AnswerChoice, AnswerGatherer } from '@witan/proof';
import type { CompletionEvent } from '../completion.ts';
import type { Delivered } from './end-relay.ts';

export const toPartEvent = (piece: AnswerPiece): CompletionEvent => ({
  event: { case: 'part', value: { part: piece } },
});

/**
 * Returns the answer as the client received it, with the usage that the provider reported. If it
 * has no content but the provider began a choice, it has one empty choice. `bufferedSize` returns
 * the size of a decoder's buffer in UTF-16 units; it counts as memory too.
 */
export const toDelivered = (
  neutral: NeutralAnswerCollector,
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

type PieceNormalizer = {
  normalize: (pieces: readonly AnswerPiece[]) => AnswerPiece[];
  end: () => AnswerPiece[];
};

type TextPiece = Exclude<AnswerPiece, { case: 'toolCall' }>;

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/**
 * Creates a normalizer of text, because Protobuf carries well-formed text only, and certificates
 * commit to the delivered text. It joins a surrogate pair that a provider split between two deltas,
 * and replaces an unpaired half by U+FFFD, before the text is hashed or sent.
 */
export const createPieceNormalizer = (): PieceNormalizer => {
  /**
   * A high surrogate at the end of the last piece, which may pair with the start of the next one.
   */
  let highSurrogatePiece: TextPiece | undefined;
  const takeHighSurrogate = (): AnswerPiece[] => {
    const leftover = highSurrogatePiece;
    highSurrogatePiece = undefined;
    return leftover ? [{ ...leftover, value: leftover.value.toWellFormed() }] : [];
  };
  const normalizeText = (piece: TextPiece): AnswerPiece[] => {
    const normalized = highSurrogatePiece?.case === piece.case ? [] : takeHighSurrogate();
    let text = (highSurrogatePiece?.value ?? '') + piece.value;
    highSurrogatePiece = undefined;
    if (HIGH_SURROGATE.test(text)) {
      highSurrogatePiece = { ...piece, value: text.slice(-1) };
      text = text.slice(0, -1);
    }
    if (text !== '') normalized.push({ ...piece, value: text.toWellFormed() });
    return normalized;
  };
  const normalizeOne = (piece: AnswerPiece): AnswerPiece[] => {
    if (piece.case !== 'toolCall') return normalizeText(piece);
    const { id = '', name = '' } = piece.value;
    const value = { id: id.toWellFormed(), name: name.toWellFormed() };
    return [...takeHighSurrogate(), { case: 'toolCall', value }];
  };
  return { normalize: (pieces) => pieces.flatMap(normalizeOne), end: takeHighSurrogate };
};
