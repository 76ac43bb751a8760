/** What lists say about a word, as bits. */
export const LISTED = {
  given: 1,
  surname: 2,
  place: 4,
  street: 8,
  org: 16,
  orgCue: 32,
  /** A given name that many people have. */
  popular: 64,
  common: 128,
} as const;

/** An open hash table: each slot has its bits below a fingerprint (a free one has neither). */
export type Gazetteer = Uint32Array;

const PRINT = 8;
const BITS = 0xff;

const mixed = (hash: number): number => {
  const one = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  return one ^ (one >>> 13);
};

/** The bits of a word or pair; 0 when no list has it (one unknown word in 20,000 errs). */
export const lookUp = (slots: Gazetteer, hash: number): number => {
  const mask = slots.length - 1;
  const key = mixed(hash);
  const print = key >>> 16 || 1;
  for (let slot = key & mask; ; slot = (slot + 1) & mask) {
    const found = slots[slot] as number;
    if (found >>> PRINT === print) return found & BITS;
    if (found === 0) return 0;
  }
};

/** The hash under which two neighbouring words are listed. */
export const hashPair = (first: number, second: number): number =>
  Math.imul(first, 0x9e37_79b1) ^ second ^ 0x5bd1_e995;

/** Builds the table; at least one slot must stay free. */
export const buildGazetteer = (words: ReadonlyMap<number, number>, slots: number): Gazetteer => {
  if (words.size >= slots) throw new RangeError('More words than slots.');
  const table = new Uint32Array(slots);
  for (const [hash, listed] of words) {
    const key = mixed(hash);
    const print = key >>> 16 || 1;
    let slot = key & (slots - 1);
    while (table[slot] !== 0 && table[slot]! >>> PRINT !== print) slot = (slot + 1) & (slots - 1);
    table[slot] = (table[slot]! | (print << PRINT) | listed) >>> 0;
  }
  return table;
};

/** The table from the fingerprints, first their high bytes, and the bits of its slots. */
export const joinGazetteer = (prints: Uint8Array, bits: Uint8Array): Gazetteer =>
  Uint32Array.from(
    bits,
    (one, slot) => (((prints[slot]! << 8) | prints[bits.length + slot]!) << PRINT) | one,
  );

/** The fingerprints and the bits of the slots, which are packed apart. */
export const splitGazetteer = (slots: Gazetteer): { prints: Uint8Array; bits: Uint8Array } => {
  const prints = new Uint8Array(2 * slots.length);
  slots.forEach((slot, at) => {
    prints[at] = slot >>> (PRINT + 8);
    prints[slots.length + at] = slot >>> PRINT;
  });
  return { prints, bits: Uint8Array.from(slots, (slot) => slot & BITS) };
};
