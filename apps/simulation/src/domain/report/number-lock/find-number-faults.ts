import { COUNTED } from './fact.ts';
import type { Fact, FactUnit } from './fact.ts';
import { readNumerals } from './read-numerals.ts';
import type { Numeral } from './read-numerals.ts';
import type { Reading } from './split-tokens.ts';

/** What prose is held to. */
export type NumberLock = {
  facts: readonly Fact[];
  /** Of scenarios and the like: digits in a name tell no amount. */
  names: readonly string[];
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
export const findNumberFaults = (text: string, { facts, names }: NumberLock): NumberFault[] => {
  const masked = maskNames(text, names);
  return readNumerals(masked).flatMap((one): NumberFault[] => {
    if ('riddle' in one) return [{ text: one.text, why: 'unreadable' }];
    const matching = facts.filter((fact) => isMeant(one, fact) && stands(one, fact));
    if (matching.length === 0) return [{ text: one.text, why: 'unknown' }];
    if (one.sign !== 0) return [];
    const fault = (why: NumberFault['why']): NumberFault[] => [{ text: one.text, why }];
    if (matching.every((fact) => isAgainst(masked, one, fact))) return fault('wrong direction');
    return matching.every((fact) => isBare(masked, one, fact)) ? fault('without its sign') : [];
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

const RATES: ReadonlySet<FactUnit> = new Set(['percent', 'multiple']);
const LARGE = 1_000;
const LARGE_UNITS: ReadonlySet<FactUnit> = new Set(['money', 'price', 'people', 'quantity']);

/** Whether the amount can be one of the fact's unit. */
const isMeant = ({ unit: { kind, units, factor = 1 }, isInWords }: Numeral, fact: Fact) => {
  const { unit } = fact;
  if (kind === 'percent' || kind === 'multiple') return unit === kind;
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
const stands = ({ readings, sign }: Numeral, { value, text, unit }: Fact): boolean => {
  const isSigned = sign !== 0 && value !== 0 && Math.sign(value) !== sign;
  if (isSigned) return false;
  const size = Math.abs(value);
  return readings.some(
    (reading) =>
      Math.abs(reading.value - size) <= toleranceOf(reading, size, unit) || isShown(reading, text),
  );
};

const toleranceOf = ({ step }: Reading, size: number, unit: FactUnit): number =>
  COUNTED.has(unit) ? 0 : Math.min(step / 2, size * RELATIVE_MAX) + size * EPSILON;

/** As the fact is shown: of what is next to nothing that is rounded further. */
const isShown = ({ value }: Reading, text: string): boolean =>
  readNumerals(text).some(
    (shown) =>
      !('riddle' in shown) &&
      shown.readings.some((one) => Math.abs(one.value - value) <= Math.abs(value) * EPSILON),
  );

const toWords = (...beginnings: string[]): RegExp =>
  new RegExp(String.raw`\b(?:${beginnings.join('|')})\b`, 'iu');
const UP = toWords(
  ...['gr[eo]w\\w*', 'rose', 'ris(?:e|es|en|ing)', 'increas\\w*', 'gain\\w*', 'up', 'expand\\w*'],
  ...['climb\\w*', 'improv\\w*', 'add(?:s|ed)?'],
);
const DOWN = toWords(
  ...['f[ae]ll\\w*', 'declin\\w*', 'drop\\w*', 'decreas\\w*', 'shr[aiu]nk\\w*', 'los[et]\\w*'],
  ...['loss\\w*', 'down', 'contract\\w*', 'cut\\w*', 'reduc\\w*', 'slid\\w*', 'slip\\w*'],
  'negative',
);
const CLAUSE_END = /[.;:!?,](?=\s|$)|\b(?:while|whereas|but|and|although|though)\b/giu;

/** Whether the words around an amount say that the fact moved the other way. */
const isAgainst = (text: string, { start, end }: Numeral, { isChange, value }: Fact): boolean => {
  if (!isChange || value === 0) return false;
  const clause = clauseOf(text, start, end);
  const saysUp = UP.test(clause);
  const saysDown = DOWN.test(clause);
  return value < 0 ? saysUp && !saysDown : saysDown && !saysUp;
};

const LOSS = toWords(
  ...[
    'los[es]\\w*',
    'lost',
    'negative',
    'deficits?',
    'shortfalls?',
    'burn\\w*',
    'owe[sd]?',
    'owing',
  ],
  ...['below', 'under', 'red', 'outflows?', 'overdraw\\w*', 'minus'],
);

/** Whether what is below zero is told without a word of it. */
const isBare = (text: string, { start, end }: Numeral, { isChange, value }: Fact): boolean =>
  !isChange && value < 0 && !LOSS.test(clauseOf(text, start, end));

const clauseOf = (text: string, start: number, end: number): string => {
  const ends = [...text.matchAll(CLAUSE_END)].map(({ index }) => index);
  const from = ends.findLast((place) => place < start) ?? 0;
  const to = ends.find((place) => place >= end) ?? text.length;
  return text.slice(from, to);
};
