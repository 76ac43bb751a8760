import type { AnswerPiece } from '../dialect.ts';

/** UTF-16 units that anything held back counts for beside its text. */
export const ITEM_OVERHEAD = 64;

/** What a piece counts for while a decoder holds it back, in UTF-16 units. */
export const bufferedSizeOf = ({ value }: AnswerPiece): number => {
  if (typeof value === 'string') return ITEM_OVERHEAD + value.length;
  return ITEM_OVERHEAD + (value.id?.length ?? 0) + (value.name?.length ?? 0);
};
