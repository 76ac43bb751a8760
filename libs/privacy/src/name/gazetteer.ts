export const LISTED = {
  given: 1,
  surname: 2,
  place: 4,
  street: 8,
  org: 16,
  orgCue: 32,
  popular: 64,
  common: 128,
} as const;

/**
 * Open-addressing hash table of words and pairs of words. A slot has a fingerprint in its high bits
 * and list flags in its low bits; 0 means that it is free.
 */
export type Gazetteer = Uint32Array;

const FINGERPRINT_SHIFT = 8;
const BITS_MASK = 0xff;

const mixHash = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  return mixed ^ (mixed >>> 13);
};

/**
 * Returns the list flags of a word or pair, or 0 if it is not listed. About 1 in 20,000 unlisted
 * words collides with a listed one and gets its flags.
 */
export const lookUp = (slots: Gazetteer, hash: number): number => {
  const mask = slots.length - 1;
  const key = mixHash(hash);
  const fingerprint = key >>> 16 || 1;
  for (let slot = key & mask; ; slot = (slot + 1) & mask) {
    const found = slots[slot] as number;
    if (found >>> FINGERPRINT_SHIFT === fingerprint) return found & BITS_MASK;
    if (found === 0) return 0;
  }
};

export const hashPair = (first: number, second: number): number =>
  Math.imul(first, 0x9e37_79b1) ^ second ^ 0x5bd1_e995;

export const buildGazetteer = (words: ReadonlyMap<number, number>, slots: number): Gazetteer => {
  if (words.size >= slots) throw new RangeError('More words than slots.');
  const table = new Uint32Array(slots);
  for (const [hash, listed] of words) {
    const key = mixHash(hash);
    const fingerprint = key >>> 16 || 1;
    let slot = key & (slots - 1);
    while (table[slot] !== 0 && table[slot]! >>> FINGERPRINT_SHIFT !== fingerprint)
      slot = (slot + 1) & (slots - 1);
    table[slot] = (table[slot]! | (fingerprint << FINGERPRINT_SHIFT) | listed) >>> 0;
  }
  return table;
};

export const joinGazetteer = (prints: Uint8Array, bits: Uint8Array): Gazetteer => {
  const slots = new Uint32Array(bits.length);
  for (let slot = 0; slot < slots.length; slot++) {
    const fingerprint = (prints[slot]! << 8) | prints[bits.length + slot]!;
    slots[slot] = (fingerprint << FINGERPRINT_SHIFT) | bits[slot]!;
  }
  return slots;
};

/** Separates fingerprints from flags, because the two compress better separately. */
export const splitGazetteer = (slots: Gazetteer): { prints: Uint8Array; bits: Uint8Array } => {
  const prints = new Uint8Array(2 * slots.length);
  slots.forEach((slot, index) => {
    prints[index] = slot >>> (FINGERPRINT_SHIFT + 8);
    prints[slots.length + index] = slot >>> FINGERPRINT_SHIFT;
  });
  return { prints, bits: Uint8Array.from(slots, (slot) => slot & BITS_MASK) };
};
