import type { Language } from '../language.ts';
import { COUNTED } from './fact.ts';
import type { Fact, FactUnit } from './fact.ts';
import { lockWordsOf } from './lock-words.ts';
import type { LockWords } from './lock-words.ts';
import { readNumerals } from './read-numerals.ts';
import type { Numeral } from './read-numerals.ts';
import type { Reading } from './split-tokens.ts';

/** What prose is held to. */
export type NumberLock = {
  facts: readonly Fact[];
  /** Of scenarios and the like: digits in a name tell no amount. */
  names: readonly string[];
  /** That the prose is written in. */
  language: Language;
};

/** An amount that no fact stands for, as it is written; and why it cannot stay. */
export type NumberFault = {
  text: string;
  why: 'unknown' | 'unreadable' | 'wrong direction' | 'without its sign';
};

/**
 * The number lock (C8): every amount in a text, in digits or in words, that matches no fact within
 * the rounding that it is written with. The text must have been normalised. An amount is of a unit:
 * percent never stand for money, nor turns for people. What might be an amount and cannot be read
 * is a fault, too, and so is growth that was a decline, or a loss that reads as a gain.
 */
export const findNumberFaults = (
  text: string,
  { facts, names, language }: NumberLock,
): NumberFault[] => {
  const words = lockWordsOf(language);
  const masked = maskNames(text, names);
  return readNumerals(masked, words).flatMap((one): NumberFault[] => {
    if ('riddle' in one) return [{ text: one.text, why: 'unreadable' }];
    const matching = facts.filter((fact) => isMeant(one, fact) && stands(one, fact, words));
    if (matching.length === 0) return [{ text: one.text, why: 'unknown' }];
    if (one.sign !== 0) return [];
    const fault = (why: NumberFault['why']): NumberFault[] => [{ text: one.text, why }];
    if (matching.every((fact) => isAgainst({ text: masked, words }, one, fact)))
      return fault('wrong direction');
    const isUnsigned = matching.every((fact) => isBare({ text: masked, words }, one, fact));
    return isUnsigned ? fault('without its sign') : [];
  });
};

/** Words with digits in them that tell no amount. */
const IDIOMS = /\b(?:B2B|B2C|D2C|P2P|C2C|CO2|COVID-19|24\/7)\b/gu;

/**
 * Names give way to letters, so that what stands around them stays apart. One that might be an
 * amount itself counts as a name in quotes only.
 */
const maskNames = (text: string, names: readonly string[]): string => {
  const mask = (name: string): string => 'n'.repeat(name.length);
  let masked = text.replaceAll(IDIOMS, mask);
  for (const name of names.toSorted((one, other) => other.length - one.length)) {
    if (name === '') continue;
    for (const [open, close] of QUOTES) {
      masked = masked.replaceAll(`${open}${name}${close}`, mask);
    }
    if (!/\p{L}{2}/u.test(name) || name.length < NAME_LENGTH_MIN) continue;
    masked = masked.replaceAll(name, (_, place: number) =>
      isWhole(masked, place, name.length) ? mask(name) : name,
    );
  }
  return masked;
};

const QUOTES = ['""', '“”', '‘’', "''", '„“', '«»'];
const NAME_LENGTH_MIN = 3;

const isWhole = (text: string, start: number, length: number): boolean =>
  !/[\p{L}\p{N}]$/u.test(text.slice(0, start)) &&
  !/^[\p{L}\p{N}]/u.test(text.slice(start + length));

const RATES: ReadonlySet<FactUnit> = new Set(['percent', 'points', 'multiple']);
const LARGE = 1_000;
const LARGE_UNITS: ReadonlySet<FactUnit> = new Set(['money', 'price', 'people', 'quantity']);

/** Whether the amount can be one of the fact's unit. */
const isMeant = ({ unit: { kind, units, factor = 1 }, isInWords }: Numeral, fact: Fact) => {
  const { unit } = fact;
  if (kind === 'percent') return unit === 'percent' || unit === 'points';
  if (kind === 'multiple') return unit === kind;
  if (RATES.has(unit)) return false;
  if (kind === 'named') return units.includes(unit);
  if (factor >= LARGE) return LARGE_UNITS.has(unit);
  // "two ways" counts something; in digits a bare number is a figure, and never which turn it was.
  return isInWords ? unit !== 'turn' : !COUNTED.has(unit);
};

/** Nothing is rounded further than to two digits: 5 % of 1.0 is half of the next. */
const RELATIVE_MAX = 0.05;
const EPSILON = 1e-9;

/** Whether the amount is the fact's, rounded as it is written. */
const stands = (
  { readings, sign }: Numeral,
  { value, text, unit }: Fact,
  words: LockWords,
): boolean => {
  const isSigned = sign !== 0 && value !== 0 && Math.sign(value) !== sign;
  if (isSigned) return false;
  const size = Math.abs(value);
  return readings.some(
    (reading) =>
      Math.abs(reading.value - size) <= toleranceOf(reading, size, unit) ||
      isShown(reading, text, words),
  );
};

const toleranceOf = ({ step }: Reading, size: number, unit: FactUnit): number =>
  COUNTED.has(unit) ? 0 : Math.min(step / 2, size * RELATIVE_MAX) + size * EPSILON;

/** As the fact is shown: of what is next to nothing that is rounded further. */
const isShown = ({ value }: Reading, text: string, words: LockWords): boolean =>
  readNumerals(text, words).some(
    (shown) =>
      !('riddle' in shown) &&
      shown.readings.some((one) => Math.abs(one.value - value) <= Math.abs(value) * EPSILON),
  );

type Prose = { text: string; words: LockWords };

/** Whether the words around an amount say that the fact moved the other way. */
const isAgainst = (prose: Prose, numeral: Numeral, { isChange, value }: Fact): boolean => {
  if (!isChange || value === 0) return false;
  const clause = clauseOf(prose, numeral);
  const saysUp = prose.words.up.test(clause);
  const saysDown = prose.words.down.test(clause);
  return value < 0 ? saysUp && !saysDown : saysDown && !saysUp;
};

/** Whether what is below zero is told without a word of it. */
const isBare = (prose: Prose, numeral: Numeral, { isChange, value }: Fact): boolean =>
  !isChange && value < 0 && !prose.words.loss.test(clauseOf(prose, numeral));

const clauseOf = ({ text, words }: Prose, { start, end }: Numeral): string => {
  const ends = [...text.matchAll(words.clauseEnd)].map(({ index }) => index);
  const from = ends.findLast((place) => place < start) ?? 0;
  const to = ends.find((place) => place >= end) ?? text.length;
  return text.slice(from, to);
};
