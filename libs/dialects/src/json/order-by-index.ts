import { asNumber, asObject } from './json-value.ts';

/**
 * Returns objects in the order of their `index`, which becomes their position, because clients read
 * them by it; the same list if it is so already.
 */
export const orderByIndex = (items: readonly unknown[]): readonly unknown[] => {
  const indexOf = (item: unknown, position: number): number =>
    asNumber(asObject(item)?.index) ?? position;
  if (items.every((item, position) => indexOf(item, position) === position)) return items;
  return items
    .map((item, position) => ({ item, index: indexOf(item, position) }))
    .toSorted((a, b) => a.index - b.index)
    .map(({ item }, index) => (asObject(item) ? { ...asObject(item), index } : item));
};
