import {
  CLASS,
  DIGIT,
  isDigit,
  isForeignLetter,
  isUnspacedScript,
  isZeroWidth,
  LOWER,
  UPPER,
} from './char-class.ts';
import { CUE_WORDS, type Cue } from './cue-words.ts';
import { hashSet, pairHash, stepHash, stepLetter, wordHash } from './word-hash.ts';

/** How far before a value a cue may stand, in UTF-16 units and in words. */
const REACH = 44;
const MAX_WORDS = 8;
/** Most words are no cue: one look into this sieve spares the look into the table. */
const SIEVE = 4_096;

const DOT = 0x2e;
const LETTER = LOWER | UPPER;
const ALNUM = LETTER | DIGIT;

/** Words for any number, and what a word before them may still say that it is. */
const WEAK: ReadonlySet<number> = hashSet('id ids code codes ref reference');
const NAMED: ReadonlySet<Cue> = new Set<Cue>(['national', 'tax', 'passport', 'swift', 'iban']);

const CUES: ReadonlyMap<number, Cue> = cueTable();
const MAYBE: Uint8Array = sieve();

/**
 * The nearest cue in the words before `at`; another value (a digit) or an empty line between
 * them ends the search. Words are read from their last letter, within this one function: a hot
 * loop.
 */
export function findCue(text: string, at: number, most: number = MAX_WORDS): Cue | undefined {
  const floor = Math.max(0, at - REACH);
  let later = 0;
  let laterCue: Cue | undefined;
  let initials = 0;
  let i = at - 1;
  for (let words = 0; words < most; words++) {
    let c = 0;
    let lines = 0;
    for (; i >= floor; i--) {
      c = text.charCodeAt(i);
      if (c >= 128) {
        if (isForeignLetter(c)) break;
      } else if ((CLASS[c]! & ALNUM) !== 0) break;
      else if (c === 0x0a && ++lines > 1) return laterCue;
    }
    if (i < floor || isDigit(c)) return laterCue;
    const end = i;
    let hash = 0;
    if (isUnspacedScript(c)) {
      // Two characters of a script without spaces count as a word.
      hash = stepHash(0, c);
      i--;
      const before = i >= floor ? text.charCodeAt(i) : 0;
      if (isUnspacedScript(before)) {
        hash = stepHash(hash, before);
        i--;
      }
    } else {
      for (let after = 0; i >= floor; i--) {
        c = text.charCodeAt(i);
        if (c < 128) {
          if ((CLASS[c]! & LETTER) === 0) break;
          // A hump in camel case begins a word.
          if (c >= 0x61 && after !== 0 && after < 0x61) break;
          hash = stepLetter(hash, c);
          after = c;
        } else if (isForeignLetter(c)) {
          hash = stepHash(hash, c);
          after = 0;
        } else if (!isZeroWidth(c)) break;
      }
    }
    const pair = later === 0 ? undefined : cueOf(pairHash(hash, later));
    if (pair !== undefined) return pair;
    if (laterCue !== undefined) {
      // "VAT code" and "passport ID": the word before says more than these two.
      if (!WEAK.has(later)) return laterCue;
      const named = cueOf(hash);
      return named !== undefined && NAMED.has(named) ? named : laterCue;
    }
    laterCue = cueOf(hash);
    // "driver's" and "Case No." read as if the one letter were not there.
    if (end - i > 1 || laterCue !== undefined) {
      later = hash;
      initials = 0;
    } else if (c === DOT || initials !== 0) {
      // "D.O.B." is read as "dob".
      initials = stepHash(initials, text.charCodeAt(end));
      if (c !== DOT) laterCue = cueOf(initials);
    }
  }
  return laterCue;
}

/** The cue that a text on its own stands for, such as the name of a column. */
export function findOwnCue(text: string): Cue | undefined {
  return findCue(text, text.length);
}

function cueOf(hash: number): Cue | undefined {
  return MAYBE[hash & (SIEVE - 1)] === 1 ? CUES.get(hash) : undefined;
}

function sieve(): Uint8Array {
  const table = new Uint8Array(SIEVE);
  for (const hash of CUES.keys()) table[hash & (SIEVE - 1)] = 1;
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
