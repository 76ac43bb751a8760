import { readAmountWords } from './read-amount-words.ts';
import { readUnit } from './read-unit.ts';
import type { NumeralUnit } from './read-unit.ts';
import type { LockWords } from './lock-words.ts';
import { containsUnsupportedNumeral, MULTIPLES, VAGUE } from './number-words.ts';
import { readDigits, splitTokens } from './split-tokens.ts';
import type { Reading, Token } from './split-tokens.ts';

export type Numeral = {
  text: string;
  start: number;
  end: number;
  readings: readonly Reading[];
  unit: NumeralUnit;
  sign: -1 | 0 | 1;
  isInWords: boolean;
};

type UnreadableAmount = { text: string; start: number; end: number; unreadable: true };

/**
 * Returns all amounts in a text, in digits or in English words. Digits mixed with letters, vague
 * amounts such as "dozens", known number words of other languages, and words in other scripts are
 * returned as unreadable.
 */
export const readNumerals = (text: string, words: LockWords): (Numeral | UnreadableAmount)[] => {
  const tokens = splitTokens(text);
  const found: (Numeral | UnreadableAmount)[] = [];
  for (let index = 0; index < tokens.length;) {
    const read = readAt({ text, tokens, words }, index);
    if (read) found.push(read.amount);
    index = read?.next ?? index + 1;
  }
  return shareUnits(text, found, words).map((numeral, index, all) =>
    toSplitNumber(text, numeral, all[index - 1]),
  );
};

type Read = { amount: Numeral | UnreadableAmount; next: number };

type Source = { text: string; tokens: readonly Token[]; words: LockWords };

const readAt = (source: Source, index: number): Read | undefined => {
  const { text, tokens, words } = source;
  const token = tokens[index]!;
  const unreadable = (next = index + 1): Read => ({
    amount: toUnreadable(text, token.start, tokens[next - 1]!.end),
    next,
  });
  if (token.kind === 'digits') return readDigitsAt(source, index) ?? unreadable();
  if (token.kind === 'mark') return isUnreadableMark(token.text) ? unreadable() : undefined;
  const multiple = MULTIPLES.get(token.lower);
  if (multiple !== undefined) {
    if (tokens[index + 1]?.text === '-') return unreadable(Math.min(index + 3, tokens.length));
    const readings = [{ value: multiple, step: 0 }];
    return numeralAt(source, { index, next: index + 1, readings, isInWords: true }, 'times');
  }
  const spelledAmount = readAmountWords(tokens, index);
  if (spelledAmount) {
    const { readings, next, unit } = spelledAmount;
    return numeralAt(source, { index, next, readings, isInWords: true }, unit);
  }
  const isUnreadable =
    VAGUE.has(token.lower) ||
    words.isUnreadable(token.lower) ||
    containsUnsupportedNumeral(token.lower) ||
    isScoreOf(tokens, index) ||
    isVagueDigits(tokens, index) ||
    /[^\p{Script=Latin}\p{M}]/u.test(token.text);
  return isUnreadable ? unreadable() : undefined;
};

const isUnreadableMark = (mark: string): boolean => /[%‰‱\p{N}]/u.test(mark);

/**
 * Returns true at the second word of "double-digit" and "three-figure", which are vague amounts.
 */
const isVagueDigits = (tokens: readonly Token[], index: number): boolean =>
  /^(?:digit|digits|figure|figures)$/.test(tokens[index]!.lower) && tokens[index - 1]?.text === '-';

/** Returns true at "scores of", which is a vague amount, unlike the "scores" of the council. */
const isScoreOf = (tokens: readonly Token[], index: number): boolean =>
  /^scores?$/.test(tokens[index]!.lower) && tokens[index + 1]?.lower === 'of';

const readDigitsAt = (source: Source, index: number): Read | undefined => {
  const { text, tokens } = source;
  const token = tokens[index]!;
  const readings = readDigits(token.text);
  if (readings.length === 0 || hasLettersBefore(text, token)) return undefined;
  return numeralAt(source, { index, next: index + 1, readings, isInWords: false });
};

/**
 * Returns true if letters precede the digits, as in "R900" and "v2.1". Prefixes of turns and
 * currencies, as in "Q3" and "USD5", do not count.
 */
const hasLettersBefore = (text: string, { start }: Token): boolean => {
  const before = /[\p{L}\p{M}\p{N}_#&\\]+[.,]?$|[\p{N}][.,]$/u.exec(text.slice(0, start));
  if (!before) return false;
  return !/^(?:Q|T|US|USD|EUR|GBP|CHF)$/.test(before[0]);
};

type Span = { index: number; next: number; readings: readonly Reading[]; isInWords: boolean };

const numeralAt = (
  { text, tokens, words }: Source,
  { index, next, readings, isInWords }: Span,
  unit?: 'times' | 'part',
): Read | undefined => {
  const surrounding = readUnit(
    tokens,
    { index, next, ...(unit ? { knownKind: unit } : {}) },
    words,
  );
  if (!surrounding) return undefined;
  const { factor, unit: read, sign, first, next: after } = surrounding;
  const start = tokens[first]!.start;
  const { end } = tokens[after - 1]!;
  const scaledReadings = readings.map(({ value, step }) => ({
    value: value * factor,
    step: step * factor,
  }));
  const amount = { text: text.slice(start, end), start, end, readings: scaledReadings, unit: read };
  return { amount: { ...amount, sign, isInWords }, next: after };
};

const toUnreadable = (text: string, start: number, end: number): UnreadableAmount => ({
  text: text
    .slice(Math.max(0, start - UNREADABLE_CONTEXT_LENGTH), end + UNREADABLE_CONTEXT_LENGTH)
    .trim(),
  start,
  end,
  unreadable: true,
});

const UNREADABLE_CONTEXT_LENGTH = 12;

/**
 * Gives an amount without a unit the unit of the amount joined after it, as in "3 to 5 %" and "2, 3
 * and 4 million", or the noun of the amount joined before it, as in "turns 2 and 3".
 */
const shareUnits = (
  text: string,
  found: (Numeral | UnreadableAmount)[],
  { joined }: LockWords,
): (Numeral | UnreadableAmount)[] => {
  const shared = [...found];
  const isBare = (numeral: Numeral | UnreadableAmount): numeral is Numeral =>
    !('unreadable' in numeral) && numeral.unit.kind === 'bare' && (numeral.unit.factor ?? 1) === 1;
  const areJoined = (index: number): boolean =>
    joined.test(text.slice(shared[index]!.end, shared[index + 1]!.start));
  for (let index = shared.length - 2; index >= 0; index -= 1) {
    const numeral = shared[index]!;
    const next = shared[index + 1]!;
    if (!isBare(numeral) || 'unreadable' in next || !areJoined(index)) continue;
    const { factor = 1 } = next.unit;
    const readings = numeral.readings.map(({ value, step }) => ({
      value: value * factor,
      step: step * factor,
    }));
    const all = factor === 1 ? readings : [...readings, ...numeral.readings];
    shared[index] = { ...numeral, unit: next.unit, readings: all };
  }
  for (let index = 1; index < shared.length; index += 1) {
    const numeral = shared[index]!;
    const before = shared[index - 1]!;
    if (!isBare(numeral) || 'unreadable' in before || !areJoined(index - 1)) continue;
    if (before.unit.kind === 'named') shared[index] = { ...numeral, unit: before.unit };
  }
  return shared;
};

const toSplitNumber = (
  text: string,
  numeral: Numeral | UnreadableAmount,
  before: Numeral | UnreadableAmount | undefined,
): Numeral | UnreadableAmount =>
  before && /^\s*[/⁄:*^=]?\s*$/u.test(text.slice(before.end, numeral.start))
    ? toUnreadable(text, before.start, numeral.end)
    : numeral;
