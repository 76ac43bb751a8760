import type { AnswerPiece } from '@witan/dialects';
import type { RestoreStream } from '@witan/privacy';
import { openRestoreStream } from './restore-text.ts';
import type { Restoring } from './restore-text.ts';

/** Puts values back into the pieces of a neutral answer, which come in order and never overlap. */
export type PieceRestorer = {
  take: (pieces: readonly AnswerPiece[]) => AnswerPiece[];
  /** What was held back for more to come. */
  end: () => AnswerPiece[];
};

type WordPiece = Exclude<AnswerPiece, { case: 'toolCall' }>;

/** Seals are never touched, nor is what is under them. */
const SIGNED_KINDS: ReadonlySet<AnswerPiece['case']> = new Set([
  'reasoningSignature',
  'redactedReasoning',
]);

/** `preservesReasoning`: it may carry a seal that any change would break. */
export const createPieceRestorer = (
  restoring: Restoring,
  { preservesReasoning }: { preservesReasoning: boolean },
): PieceRestorer => {
  let open: { piece: WordPiece; stream: RestoreStream } | undefined;

  const end = (): AnswerPiece[] => {
    const rest = open?.stream.end() ?? '';
    const { piece } = open ?? {};
    open = undefined;
    return piece && rest !== '' ? [{ ...piece, value: rest }] : [];
  };
  const takeOne = (piece: AnswerPiece): AnswerPiece[] => {
    const isUnchanged =
      SIGNED_KINDS.has(piece.case) || (preservesReasoning && piece.case === 'reasoning');
    if (piece.case === 'toolCall' || isUnchanged) return [...end(), piece];
    const before = open?.piece.case === piece.case ? [] : end();
    const form = piece.case === 'toolArguments' ? 'json' : 'text';
    open ??= { piece, stream: openRestoreStream(restoring, form, piece.value) };
    const restored = open.stream.push(piece.value);
    return restored === '' ? before : [...before, { ...piece, value: restored }];
  };
  return { take: (pieces) => pieces.flatMap(takeOne), end };
};
