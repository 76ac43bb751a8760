/** Adds a 32-bit word to a hash (block step of MurmurHash3, A. Appleby, public domain). */
export const foldWord = (hash: number, word: number): number => {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const mixed = hash ^ Math.imul(k, 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
};

/**
 * Applies the finalizer of MurmurHash3, so that every bit of `hash` affects every bit of the
 * result.
 */
export const finishHash = (hash: number): number => {
  let h = hash | 0;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};
