/** Seeded pseudorandom numbers, for reproducible training. */
export type Random = {
  next(): number;
  below(count: number): number;
  pick<T>(from: readonly T[]): T;
  chance(part: number): boolean;
  shuffle<T>(list: T[]): T[];
};

export const createRandom = (seed: number): Random => {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) | 0;
    let one = Math.imul(state ^ (state >>> 15), 1 | state);
    one = (one + Math.imul(one ^ (one >>> 7), 61 | one)) ^ one;
    return ((one ^ (one >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    chance: (part) => next() < part,
    shuffle: (list) => {
      for (let at = list.length - 1; at > 0; at--) {
        const other = below(at + 1);
        [list[at], list[other]] = [list[other] as never, list[at] as never];
      }
      return list;
    },
  };
};
