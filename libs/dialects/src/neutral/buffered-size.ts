import type { AnswerPiece } from '../dialect.ts';

/** UTF-16 units that a buffered item counts as, in addition to its text, in a memory limit. */
export const ITEM_OVERHEAD = 64;

export const bufferedSizeOf = ({ value }: AnswerPiece): number => {
  if (typeof value === 'string') return ITEM_OVERHEAD + value.length;
  return ITEM_OVERHEAD + (value.id?.length ?? 0) + (value.name?.length ?? 0);
};
