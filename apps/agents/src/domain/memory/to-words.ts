import { foldText } from './memory-key.ts';

/**
 * The words of a text, each once and as a number, in any script and without case. Two words in four
 * thousand million share a number, which is near enough for likeness; and numbers need no strings,
 * of which thousands of memories would have a hundred thousand.
 */
export function toWords(text: string): readonly number[] {
  const words = new Set<number>();
  let hash = OFFSET;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
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

/** Of 32-bit FNV-1a (draft-eastlake-fnv). */
const OFFSET = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

const hashOf = (word: string): number => {
  let hash = OFFSET;
  for (let at = 0; at < word.length; at += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(at), PRIME);
  }
  return hash;
};
