import {
  CLASS,
  DIGIT,
  isDigit,
  isNonAsciiLetter,
  isUnspacedScript,
  isZeroWidth,
  LOWER,
  UPPER,
} from './char-class.ts';
import { CUE_WORDS, type Cue } from './cue-words.ts';
import { hashSet, pairHash, stepHash, stepLetter, wordHash } from './word-hash.ts';

/** Maximum distance from a cue to its value: `MAX_DISTANCE` UTF-16 units and `MAX_WORDS` words. */
const MAX_DISTANCE = 44;
const MAX_WORDS = 8;
const FILTER_SIZE = 4_096;

const DOT = 0x2e;
const LETTER = LOWER | UPPER;
const ALNUM = LETTER | DIGIT;

/**
 * If the cue is a generic word such as `id`, the cue of the word before it takes precedence if it
 * is one of `SPECIFIC_CUES`.
 */
const GENERIC_WORDS: ReadonlySet<number> = hashSet('id ids code codes ref reference');
const SPECIFIC_CUES: ReadonlySet<Cue> = new Set<Cue>([
  'national',
  'tax',
  'passport',
  'swift',
  'iban',
]);

const CUE_BY_HASH: ReadonlyMap<number, Cue> = cueTable();
const FILTER: Uint8Array = createFilter();

/**
 * Returns the nearest cue in the words before `offset`. A digit or an empty line ends the search.
 * One long function, because it is a hot loop.
 */
export function findCue(
  text: string,
  offset: number,
  maxWords: number = MAX_WORDS,
): Cue | undefined {
  const floor = Math.max(0, offset - MAX_DISTANCE);
  let laterHash = 0;
  let laterCue: Cue | undefined;
  let initials = 0;
  let i = offset - 1;
  for (let words = 0; words < maxWords; words++) {
    let c = 0;
    let lines = 0;
    for (; i >= floor; i--) {
      c = text.charCodeAt(i);
      if (c >= 128) {
        if (isNonAsciiLetter(c)) break;
      } else if ((CLASS[c]! & ALNUM) !== 0) break;
      else if (c === 0x0a && ++lines > 1) return laterCue;
    }
    if (i < floor || isDigit(c)) return laterCue;
    const end = i;
    let hash = 0;
    if (isUnspacedScript(c)) {
      // In scripts without spaces, two characters count as a word.
      hash = stepHash(0, c);
      i--;
      const charBefore = i >= floor ? text.charCodeAt(i) : 0;
      if (isUnspacedScript(charBefore)) {
        hash = stepHash(hash, charBefore);
        i--;
      }
    } else {
      for (let charAfter = 0; i >= floor; i--) {
        c = text.charCodeAt(i);
        if (c < 128) {
          if ((CLASS[c]! & LETTER) === 0) break;
          if (c >= 0x61 && charAfter !== 0 && charAfter < 0x61) break;
          hash = stepLetter(hash, c);
          charAfter = c;
        } else if (isNonAsciiLetter(c)) {
          hash = stepHash(hash, c);
          charAfter = 0;
        } else if (!isZeroWidth(c)) break;
      }
    }
    const pairCue = laterHash === 0 ? undefined : cueOf(pairHash(hash, laterHash));
    if (pairCue !== undefined) return pairCue;
    if (laterCue !== undefined) {
      // In "VAT code" and "passport ID", the first word is the more specific one.
      if (!GENERIC_WORDS.has(laterHash)) return laterCue;
      const specific = cueOf(hash);
      return specific !== undefined && SPECIFIC_CUES.has(specific) ? specific : laterCue;
    }
    laterCue = cueOf(hash);
    // Ignores single letters, such as the `s` of "driver's", unless dots join them to an
    // abbreviation such as "S.S.N.".
    if (end - i > 1 || laterCue !== undefined) {
      laterHash = hash;
      initials = 0;
    } else if (c === DOT || initials !== 0) {
      initials = stepHash(initials, text.charCodeAt(end));
      if (c !== DOT) laterCue = cueOf(initials);
    }
  }
  return laterCue;
}

export function findOwnCue(text: string): Cue | undefined {
  return findCue(text, text.length);
}

function cueOf(hash: number): Cue | undefined {
  return FILTER[hash & (FILTER_SIZE - 1)] === 1 ? CUE_BY_HASH.get(hash) : undefined;
}

function createFilter(): Uint8Array {
  const table = new Uint8Array(FILTER_SIZE);
  for (const hash of CUE_BY_HASH.keys()) table[hash & (FILTER_SIZE - 1)] = 1;
  return table;
}

function cueTable(): ReadonlyMap<number, Cue> {
  const table = new Map<number, Cue>();
  for (const [cue, words] of Object.entries(CUE_WORDS) as [Cue, string][]) {
    for (const entry of words.split(/\s+/).filter(Boolean)) {
      const [first = '', second] = entry.split('_');
      const hash = wordHash(first);
      table.set(second === undefined ? hash : pairHash(hash, wordHash(second)), cue);
    }
  }
  return table;
}
