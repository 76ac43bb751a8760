export type Queue<Item> = {
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
