import type { Language } from '../language.ts';
import type { ReportFigure, FigureUnit } from '../create-format-number.ts';
import { lockWordsOf } from './lock-words.ts';
import type { LockWords } from './lock-words.ts';
import { maskHarmless } from './mask-harmless.ts';
import { readNumerals } from './read-numerals.ts';
import type { Numeral } from './read-numerals.ts';
import type { Reading } from './split-tokens.ts';

export type NumberLock = {
  figures: readonly ReportFigure[];
  names: readonly string[];
  language: Language;
};

export type NumberError = {
  text: string;
  reason: 'unknown' | 'unreadable' | 'wrong direction' | 'without its sign';
};

/**
 * Returns every amount in a text, in digits or in words, that matches no figure of a fitting unit
 * within the rounding of its digits. Unreadable amounts are errors, too, and so is a decline
 * described as growth, growth described as a decline, or a negative figure that is not described as
 * such. Idioms, plans and small counts of things without a figure are no amounts. `text` must come
 * from `normalizeProse`.
 */
export const findNumberErrors = (
  text: string,
  { figures, names, language }: NumberLock,
): NumberError[] => {
  const words = lockWordsOf(language);
  const masked = maskHarmless(maskNames(text, names), language);
  return readNumerals(masked, words).flatMap((numeral): NumberError[] => {
    if ('unreadable' in numeral) return [{ text: numeral.text, reason: 'unreadable' }];
    const matching = figures.filter(
      (figure) => mayHaveUnit(numeral, figure) && matchesFigure(numeral, figure, words),
    );
    if (matching.length === 0) return [{ text: numeral.text, reason: 'unknown' }];
    if (numeral.sign !== 0) return [];
    const toError = (reason: NumberError['reason']): NumberError[] => [
      { text: numeral.text, reason },
    ];
    if (matching.every((figure) => contradictsDirection({ text: masked, words }, numeral, figure)))
      return toError('wrong direction');
    const isUnsigned = matching.every((figure) =>
      lacksLossWord({ text: masked, words }, numeral, figure),
    );
    return isUnsigned ? toError('without its sign') : [];
  });
};

const FIXED_TERMS = /\b(?:B2B|B2C|D2C|P2P|C2C|CO2|COVID-19|24\/7)\b/gu;

/**
 * Replaces names and terms such as "B2B" with letters of the same length, so that their digits are
 * not read as amounts and offsets stay valid. A name that is short or has no two letters in a row
 * may be an amount, so it is replaced only in quotes.
 */
const maskNames = (text: string, names: readonly string[]): string => {
  const mask = (name: string): string => 'n'.repeat(name.length);
  let masked = text.replaceAll(FIXED_TERMS, mask);
  for (const name of names.toSorted((a, b) => b.length - a.length)) {
    if (name === '') continue;
    for (const [open, close] of QUOTES) {
      masked = masked.replaceAll(`${open}${name}${close}`, mask);
    }
    if (!/\p{L}{2}/u.test(name) || name.length < NAME_LENGTH_MIN) continue;
    masked = masked.replaceAll(name, (_, index: number) =>
      isWholeWord(masked, index, name.length) ? mask(name) : name,
    );
  }
  return masked;
};

const QUOTES = ['""', '“”', '‘’', "''", '„“', '«»'];
const NAME_LENGTH_MIN = 3;

const isWholeWord = (text: string, start: number, length: number): boolean =>
  !/[\p{L}\p{N}]$/u.test(text.slice(0, start)) &&
  !/^[\p{L}\p{N}]/u.test(text.slice(start + length));

const RATES: ReadonlySet<FigureUnit> = new Set(['percent', 'points', 'multiple']);
const LARGE = 1_000;
const LARGE_UNITS: ReadonlySet<FigureUnit> = new Set(['money', 'price', 'people']);
const COUNTED: ReadonlySet<FigureUnit> = new Set(['turn', 'turns', 'scenarios', 'events']);

const mayHaveUnit = (
  { unit: { kind, units, factor = 1 }, isInWords }: Numeral,
  figure: ReportFigure,
) => {
  const { unit } = figure;
  if (kind === 'percent') return unit === 'percent' || unit === 'points';
  if (kind === 'multiple') return unit === kind;
  if (RATES.has(unit)) return false;
  if (kind === 'named') return units.includes(unit);
  if (factor >= LARGE) return LARGE_UNITS.has(unit);
  // An amount without a unit can mean any figure except a rate. In words it cannot be the number of
  // a turn; in digits it can be neither the number of a turn nor a count.
  return isInWords ? unit !== 'turn' : !COUNTED.has(unit);
};

/**
 * Maximum rounding of an amount relative to the figure. It allows two significant digits: 5 % of
 * 1.0 is half a step.
 */
const RELATIVE_MAX = 0.05;
const EPSILON = 1e-9;

const matchesFigure = (
  { readings, sign }: Numeral,
  { value, text, unit }: ReportFigure,
  words: LockWords,
): boolean => {
  const isSigned = sign !== 0 && value !== 0 && Math.sign(value) !== sign;
  if (isSigned) return false;
  const size = Math.abs(value);
  return readings.some(
    (reading) =>
      Math.abs(reading.value - size) <= toleranceOf(reading, size, unit) ||
      isDisplayedText(reading, text, words),
  );
};

const toleranceOf = ({ step }: Reading, size: number, unit: FigureUnit): number =>
  COUNTED.has(unit) ? 0 : Math.min(step / 2, size * RELATIVE_MAX) + size * EPSILON;

/**
 * Returns true if the amount occurs in the figure's displayed text, in which a tiny value may be
 * rounded by more than the tolerance.
 */
const isDisplayedText = ({ value }: Reading, text: string, words: LockWords): boolean =>
  readNumerals(text, words).some(
    (displayed) =>
      !('unreadable' in displayed) &&
      displayed.readings.some(
        (shown) => Math.abs(shown.value - value) <= Math.abs(value) * EPSILON,
      ),
  );

type Prose = { text: string; words: LockWords };

const contradictsDirection = (
  prose: Prose,
  numeral: Numeral,
  { isChange, value }: ReportFigure,
): boolean => {
  if (!isChange || value === 0) return false;
  const clause = clauseOf(prose, numeral);
  const hasRiseWord = prose.words.rise.test(clause);
  const hasFallWord = prose.words.fall.test(clause);
  return value < 0 ? hasRiseWord && !hasFallWord : hasFallWord && !hasRiseWord;
};

const lacksLossWord = (
  prose: Prose,
  numeral: Numeral,
  { isChange, value }: ReportFigure,
): boolean => !isChange && value < 0 && !prose.words.loss.test(clauseOf(prose, numeral));

const clauseOf = ({ text, words }: Prose, { start, end }: Numeral): string => {
  const clauseEnds = [...text.matchAll(words.clauseEnd)].map(({ index }) => index);
  const clauseStart = clauseEnds.findLast((index) => index < start) ?? 0;
  const to = clauseEnds.find((index) => index >= end) ?? text.length;
  return text.slice(clauseStart, to);
};
