import type { AnswerSink } from '@witan/contracts';
import { createNeutralAnswerCollector, ENDPOINTS } from '@witan/dialects';
import type { AnswerPiece, NeutralAnswerCollector } from '@witan/dialects';
import type { AnswerChoice, AnswerGatherer } from '@witan/proof';
import { createPieceRestorer } from '../masking/restore.ts';
import type { PieceRestorer, RestoreContext } from '../masking/restore.ts';
import type { AnswerForm, FrameHandler, RelayOutput } from './attempt.ts';
import type { Delivered } from './ending.ts';

const IDENTITY_RESTORER: PieceRestorer = { take: (pieces) => [...pieces], end: () => [] };

/**
 * Creates a handler that decodes frames to neutral pieces. `answerGatherer` has the usage and the
 * choices that the provider reported.
 */
export const createTranslation = (
  { dialect, client }: AnswerForm,
  answerGatherer: AnswerGatherer,
  restoreContext: RestoreContext | undefined,
): { handler: FrameHandler; delivered: Delivered } => {
  const decoder = ENDPOINTS[dialect].createStreamDecoder();
  const normalizer = createPieceNormalizer();
  // Reasoning of the messages dialect is signed, so its text must not change.
  const preservesReasoning = dialect === 'messages';
  const restorer = restoreContext
    ? createPieceRestorer(restoreContext, { preservesReasoning })
    : IDENTITY_RESTORER;
  const answer = createNeutralAnswerCollector(client);
  let pieces: AnswerPiece[] = [];
  const append = (more: readonly AnswerPiece[]): void => {
    answer.take(more);
    for (const piece of more) pieces.push(piece);
  };
  const flush = ({ piece: write }: Pick<AnswerSink, 'piece'> | RelayOutput): void => {
    const ready = pieces;
    pieces = [];
    for (const piece of ready) void write(piece);
  };
  const handler: FrameHandler = {
    get stopSequence() {
      return restoreContext?.restorer.restore(decoder.stopSequence) ?? decoder.stopSequence;
    },
    handleFrame: (kind, _frame, value) => {
      if (kind === 'done') {
        const rest = [...normalizer.normalize(decoder.end()), ...normalizer.end()];
        append([...restorer.take(rest), ...restorer.end()]);
      } else if (kind !== 'error' && value)
        append(restorer.take(normalizer.normalize(decoder.push(value))));
    },
    flush,
    sendLast: flush,
  };
  return { handler, delivered: toDelivered(answer, answerGatherer, () => decoder.bufferedSize) };
};

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
