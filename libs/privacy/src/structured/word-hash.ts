import { lowerCode } from './char-class.ts';

/** Returns a case-insensitive hash of a word, computed from its last character to its first. */
export function wordHash(word: string): number {
  let hash = 0;
  for (let i = word.length - 1; i >= 0; i--) hash = stepHash(hash, word.charCodeAt(i));
  return hash;
}

/** Returns the same hash as `wordHash(text.slice(start, end))`, without a copy. */
export function hashOf(text: string, start: number, end: number): number {
  let hash = 0;
  for (let i = end - 1; i >= start; i--) hash = stepHash(hash, text.charCodeAt(i));
  return hash;
}

export function stepHash(hash: number, c: number): number {
  return (Math.imul(hash, 0x01000193) + lowerCode(c) + 1) | 0;
}

export function stepLetter(hash: number, c: number): number {
  return (Math.imul(hash, 0x01000193) + (c | 0x20) + 1) | 0;
}

export function pairHash(first: number, second: number): number {
  return (Math.imul(first, 31) + Math.imul(second, 0x9e3779b1) + 7) | 0;
}

export function hashSet(words: string): ReadonlySet<number> {
  return new Set(words.split(/\s+/).filter(Boolean).map(wordHash));
}
