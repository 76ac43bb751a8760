/** A reproducible generator of pseudo-random numbers (mulberry32). */
export type Random = {
  /** Returns a number from 0 inclusive to 1 exclusive. */
  next: () => number;
  /** Returns an integer within the bounds, both inclusive. */
  integer: (min: number, max: number) => number;
};

/** Creates a generator whose numbers depend only on `seed`; not suitable for secrets. */
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
