/** First in, first out. */
export type Queue<Item> = {
  push: (item: Item) => void;
  /** Takes the first item out; undefined when there is none. */
  shift: () => Item | undefined;
  readonly first: Item | undefined;
};

/**
 * An empty queue. Both ways cost the same however long it is, which `Array.shift` does not promise;
 * items that left are let go of.
 */
export const createQueue = <Item>(): Queue<Item> => {
  let items: Item[] = [];
  let cursor = 0;
  return {
    push: (item) => void items.push(item),
    shift: () => {
      const item = items[cursor];
      if (cursor < items.length) cursor += 1;
      // Half of the list is behind us: what is left moves once for every item that left.
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
