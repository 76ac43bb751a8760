/** Numbers that the same seed gives again (mulberry32). */
export type Random = {
  /** From 0 up to, but not including, 1. */
  next: () => number;
  /** A whole number within bounds, both inclusive. */
  integer: (min: number, max: number) => number;
};

/** A generator for moments of kills and lengths of answers; nothing secret may come of it. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, integer: (min, max) => min + Math.floor(next() * (max - min + 1)) };
};
