/** Seeded pseudorandom numbers, for reproducible training. */
export type Random = {
  next(): number;
  integerBelow(count: number): number;
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
  shuffle<T>(list: T[]): T[];
};

export const createRandom = (seed: number): Random => {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integerBelow = (count: number): number => Math.floor(next() * count);
  return {
    next,
    integerBelow,
    pick: (list) => list[integerBelow(list.length)] as (typeof list)[number],
    chance: (probability) => next() < probability,
    shuffle: (list) => {
      for (let index = list.length - 1; index > 0; index--) {
        const otherIndex = integerBelow(index + 1);
        [list[index], list[otherIndex]] = [list[otherIndex] as never, list[index] as never];
      }
      return list;
    },
  };
};
