import {
  isAsciiLetter,
  isDigit,
  isForeignLetter,
  isUnspacedScript,
  isZeroWidth,
} from './char-class.ts';
import { CUE_WORDS, type Cue } from './cue-words.ts';
import { pairHash, stepHash, wordHash } from './word-hash.ts';

/** How far before a value a cue may stand, in UTF-16 units and in words. */
const REACH = 44;
const MAX_WORDS = 8;
/** Most words are no cue: one look into this sieve spares the look into the table. */
const SIEVE = 4_096;

const CUES: ReadonlyMap<number, Cue> = cueTable();
const MAYBE: Uint8Array = sieve();

/**
 * The nearest cue in the words before `at`; another value (a digit) or an empty line between
 * them ends the search.
 */
export function findCue(text: string, at: number, most: number = MAX_WORDS): Cue | undefined {
  const floor = Math.max(0, at - REACH);
  let later = 0;
  let laterCue: Cue | undefined;
  let i = at - 1;
  for (let words = 0; words < most; words++) {
    let c = 0;
    let lines = 0;
    for (; i >= floor; i--) {
      c = text.charCodeAt(i);
      if (c === 0x0a && ++lines > 1) return laterCue;
      if (c < 128 ? isAsciiLetter(c) || isDigit(c) : isForeignLetter(c)) break;
    }
    if (i < floor || isDigit(c)) return laterCue;
    const end = i;
    const hash = isUnspacedScript(c) ? syllables(text, i, floor) : lastWord(text, i, floor);
    i -= hash.length;
    const pair = later === 0 ? undefined : cueOf(pairHash(hash.value, later));
    if (pair !== undefined) return pair;
    if (laterCue !== undefined) return laterCue;
    laterCue = cueOf(hash.value);
    // "driver's" and "Case No." read as if the one letter were not there.
    if (end - i > 1 || laterCue !== undefined) later = hash.value;
  }
  return laterCue;
}

/** The cue that a text on its own stands for, such as the name of a column. */
export function findOwnCue(text: string): Cue | undefined {
  return findCue(text, text.length);
}

/**
 * The hash and the length of a word, read from its last letter; a hump in camel case begins one.
 */
function lastWord(text: string, end: number, floor: number): { value: number; length: number } {
  let value = 0;
  let after = 0;
  let i = end;
  for (; i >= floor; i--) {
    const c = text.charCodeAt(i);
    if (c < 128) {
      if (!isAsciiLetter(c)) break;
      if (c >= 0x61 && after !== 0 && after < 0x61) break;
      value = stepHash(value, c);
      after = c;
    } else if (isForeignLetter(c)) {
      value = stepHash(value, c);
      after = 0;
    } else if (!isZeroWidth(c)) break;
  }
  return { value, length: end - i };
}

/** Two characters of a script without spaces count as a word. */
function syllables(text: string, end: number, floor: number): { value: number; length: number } {
  const value = stepHash(0, text.charCodeAt(end));
  const before = end > floor ? text.charCodeAt(end - 1) : 0;
  if (!isUnspacedScript(before)) return { value, length: 1 };
  return { value: stepHash(value, before), length: 2 };
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
