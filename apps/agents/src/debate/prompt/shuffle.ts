/**
 * Returns the items in an order that depends only on their number and on the seed (Fisher-Yates
 * with mulberry32).
 */
export const shuffle = <T>(items: readonly T[], seed: number): T[] => {
  const shuffled = [...items];
  const next = createRandom(seed);
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = Math.floor(next() * (index + 1));
    [shuffled[index], shuffled[other]] = [shuffled[other]!, shuffled[index]!];
  }
  return shuffled;
};

const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Returns A to Z for the indexes 0 to 25, then AA, AB and so on. */
export const toLetter = (index: number): string => {
  const last = String.fromCodePoint('A'.codePointAt(0)! + (index % 26));
  return index < 26 ? last : toLetter(Math.floor(index / 26) - 1) + last;
};
