import type { AnswerPiece } from '@witan/dialects';
import type { RestoreStream } from '@witan/privacy';
import { openRestoreStream } from './restore-text.ts';
import type { RestoreContext } from './restore-text.ts';

export type PieceRestorer = {
  take: (pieces: readonly AnswerPiece[]) => AnswerPiece[];
  end: () => AnswerPiece[];
};

type TextPiece = Exclude<AnswerPiece, { case: 'toolCall' }>;

const SIGNED_KINDS: ReadonlySet<AnswerPiece['case']> = new Set([
  'reasoningSignature',
  'redactedReasoning',
]);

/**
 * Creates a restorer of pieces. With `preservesReasoning` it leaves the reasoning unchanged, which
 * may be signed.
 */
export const createPieceRestorer = (
  restoreContext: RestoreContext,
  { preservesReasoning }: { preservesReasoning: boolean },
): PieceRestorer => {
  let open: { piece: TextPiece; stream: RestoreStream } | undefined;

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
    open ??= { piece, stream: openRestoreStream(restoreContext, form, piece.value) };
    const restored = open.stream.push(piece.value);
    return restored === '' ? before : [...before, { ...piece, value: restored }];
  };
  return { take: (pieces) => pieces.flatMap(takeOne), end };
};
