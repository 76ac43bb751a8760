import type { AnswerPiece } from '../dialect.ts';
type Queue<Item> = {
  push: (item: Item) => void;
  shift: () => Item | undefined;
  readonly first: Item | undefined;
};

/**
 * Creates a queue whose `push` and `shift` take amortized constant time, which `Array.shift` does
 * not guarantee.
 */
export const createQueue = <Item>(): Queue<Item> => {
  let items: Item[] = [];
  let cursor = 0;
  return {
    push: (item) => void items.push(item),
    shift: () => {
      const item = items[cursor];
      if (cursor < items.length) cursor += 1;
      if (cursor * 2 >= items.length) {
        items = items.slice(cursor);
        cursor = 0;
      }
      return item;
    },
    get first() {
      return items[cursor];
    },
  };
};

/** UTF-16 units that a buffered item counts as, in addition to its text, in a memory limit. */
export const ITEM_OVERHEAD = 64;

export const bufferedSizeOf = ({ value }: AnswerPiece): number => {
  if (typeof value === 'string') return ITEM_OVERHEAD + value.length;
  return ITEM_OVERHEAD + (value.id?.length ?? 0) + (value.name?.length ?? 0);
};
