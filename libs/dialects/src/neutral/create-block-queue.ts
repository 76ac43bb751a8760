import type { AnswerPiece } from '../dialect.ts';
import { bufferedSizeOf, createQueue, ITEM_OVERHEAD } from './create-queue.ts';

/** A part of a streamed answer whose pieces must not be mixed with those of another. */
export type Block = {
  /** Size in UTF-16 units of what the block itself holds, for a memory limit. */
  heldSize: number;
  /** Returns the pieces that end the block. */
  closing: () => AnswerPiece[];
};

export type BlockQueue<SomeBlock extends Block> = ReturnType<typeof createBlockQueue<SomeBlock>>;

type Entry<SomeBlock extends Block> = {
  block: SomeBlock;
  isClosed: boolean;
  buffered: AnswerPiece[];
};

/**
 * Creates a queue of blocks that emits the pieces of one block at a time: those of a later block
 * are buffered until the earlier ones end. Each method returns the pieces that can be emitted now.
 */
export const createBlockQueue = <SomeBlock extends Block>() => {
  const queue = createQueue<Entry<SomeBlock>>();
  const entryAt = new Map<number, Entry<SomeBlock>>();
  let bufferedSize = 0;

  const emit = (entry: Entry<SomeBlock>, pieces: AnswerPiece[]): AnswerPiece[] => {
    if (queue.first === entry) return pieces;
    for (const piece of pieces) {
      entry.buffered.push(piece);
      bufferedSize += bufferedSizeOf(piece);
    }
    return [];
  };
  const close = (entry: Entry<SomeBlock> | undefined): AnswerPiece[] => {
    if (!entry || entry.isClosed) return [];
    entry.isClosed = true;
    const releasedPieces = emit(entry, entry.block.closing());
    while (queue.first?.isClosed) {
      const { heldSize } = queue.first.block;
      queue.shift();
      bufferedSize -= ITEM_OVERHEAD + heldSize;
      for (const piece of queue.first?.buffered.splice(0) ?? []) {
        releasedPieces.push(piece);
        bufferedSize -= bufferedSizeOf(piece);
      }
    }
    return releasedPieces;
  };
  return {
    /** Begins a block. If its index is in use, the earlier block with that index ends here. */
    start: (index: number, block: SomeBlock, pieces: AnswerPiece[]): AnswerPiece[] => {
      const earlierPieces = close(entryAt.get(index));
      const entry = { block, isClosed: false, buffered: [] };
      queue.push(entry);
      bufferedSize += ITEM_OVERHEAD + block.heldSize;
      entryAt.set(index, entry);
      return [...earlierPieces, ...emit(entry, pieces)];
    },
    find: (index: number): SomeBlock | undefined => entryAt.get(index)?.block,
    /** Adds pieces to a block; has no effect if it has ended. */
    append: (index: number, pieces: AnswerPiece[]): AnswerPiece[] => {
      const entry = entryAt.get(index);
      return !entry || entry.isClosed ? [] : emit(entry, pieces);
    },
    close: (index: number): AnswerPiece[] => close(entryAt.get(index)),
    closeAll: (): AnswerPiece[] => {
      const remainingPieces: AnswerPiece[] = [];
      while (queue.first) for (const piece of close(queue.first)) remainingPieces.push(piece);
      return remainingPieces;
    },
    get bufferedSize() {
      return bufferedSize;
    },
  };
};
