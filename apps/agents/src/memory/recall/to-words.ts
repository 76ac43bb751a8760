import { foldText } from '../memory.ts';

/**
 * Returns the distinct words of a text as hashes, in any script and ignoring case. Hashes are
 * cheaper than strings: thousands of memories have a hundred thousand words. Collisions (about 1 in
 * 4 billion per pair) barely change a similarity.
 */
export function toWords(text: string): readonly number[] {
  const words = new Set<number>();
  let hash = OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return toFoldedWords(text);
    const folded = unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
    if ((folded >= 0x61 && folded <= 0x7a) || (folded >= 0x30 && folded <= 0x39)) {
      hash = Math.imul(hash ^ folded, PRIME);
    } else if (hash !== OFFSET) {
      words.add(hash);
      hash = OFFSET;
    }
  }
  if (hash !== OFFSET) words.add(hash);
  return [...words];
}

const toFoldedWords = (text: string): readonly number[] => [
  ...new Set((foldText(text).match(WORD) ?? []).map(hashOf)),
];

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Parameters of 32-bit FNV-1a (draft-eastlake-fnv). */
const OFFSET = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

const hashOf = (word: string): number => {
  let hash = OFFSET;
  for (let index = 0; index < word.length; index += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(index), PRIME);
  }
  return hash;
};
