import { readAmountWords } from './read-amount-words.ts';
import { readUnit } from './read-unit.ts';
import type { NumeralUnit } from './read-unit.ts';
import type { LockWords } from './lock-words.ts';
import { isMadeOfNumeral, MULTIPLES, VAGUE } from './number-words.ts';
import { readDigits, splitTokens } from './split-tokens.ts';
import type { Reading, Token } from './split-tokens.ts';

/** An amount that prose tells. */
export type Numeral = {
  /** As it stands there, with its unit. */
  text: string;
  start: number;
  end: number;
  readings: readonly Reading[];
  unit: NumeralUnit;
  /** Where a sign is written: -1 or 1. */
  sign: -1 | 0 | 1;
  isInWords: boolean;
};

/** What looks like an amount and cannot be read as one. */
export type Riddle = { text: string; start: number; end: number; riddle: true };

/**
 * Every amount in a text, in digits or in English words, in order. What might be one and cannot be
 * read is a riddle: letters among digits, amounts without a number, other scripts and languages.
 */
export const readNumerals = (text: string, words: LockWords): (Numeral | Riddle)[] => {
  const tokens = splitTokens(text);
  const found: (Numeral | Riddle)[] = [];
  for (let place = 0; place < tokens.length;) {
    const read = readAt({ text, tokens, words }, place);
    if (read) found.push(read.amount);
    place = read?.next ?? place + 1;
  }
  return shareUnits(text, found, words).map((one, place, all) =>
    toApart(text, one, all[place - 1]),
  );
};

type Read = { amount: Numeral | Riddle; next: number };

type Source = { text: string; tokens: readonly Token[]; words: LockWords };

const readAt = (source: Source, place: number): Read | undefined => {
  const { text, tokens, words } = source;
  const token = tokens[place]!;
  const riddle = (next = place + 1): Read => ({
    amount: toRiddle(text, token.start, tokens[next - 1]!.end),
    next,
  });
  if (token.kind === 'digits') return readDigitsAt(source, place) ?? riddle();
  if (token.kind === 'mark') return isRiddlingMark(token.text) ? riddle() : undefined;
  const multiple = MULTIPLES.get(token.lower);
  if (multiple !== undefined) {
    if (tokens[place + 1]?.text === '-') return riddle(Math.min(place + 3, tokens.length));
    const readings = [{ value: multiple, step: 0 }];
    return numeralAt(source, { place, next: place + 1, readings, isInWords: true }, 'times');
  }
  const spelled = readAmountWords(tokens, place);
  if (spelled) {
    const { readings, next, unit } = spelled;
    return numeralAt(source, { place, next, readings, isInWords: true }, unit);
  }
  const isUnreadable =
    VAGUE.has(token.lower) ||
    words.isUnreadable(token.lower) ||
    isMadeOfNumeral(token.lower) ||
    isScore(tokens, place) ||
    isVagueDigits(tokens, place) ||
    /[^\p{Script=Latin}\p{M}]/u.test(token.text);
  return isUnreadable ? riddle() : undefined;
};

/** Signs of amounts, and numbers that are none of ours. */
const isRiddlingMark = (mark: string): boolean => /[%‰‱\p{N}]/u.test(mark);

/** "double-digit" and "three-figure" are amounts, too. */
const isVagueDigits = (tokens: readonly Token[], place: number): boolean =>
  /^(?:digit|digits|figure|figures)$/.test(tokens[place]!.lower) && tokens[place - 1]?.text === '-';

/** "scores of"; the council's own scores are no amount. */
const isScore = (tokens: readonly Token[], place: number): boolean =>
  /^scores?$/.test(tokens[place]!.lower) && tokens[place + 1]?.lower === 'of';

const readDigitsAt = (source: Source, place: number): Read | undefined => {
  const { text, tokens } = source;
  const token = tokens[place]!;
  const readings = readDigits(token.text);
  if (readings.length === 0 || isGluedBefore(text, token)) return undefined;
  return numeralAt(source, { place, next: place + 1, readings, isInWords: false });
};

/** "R900", "v2.1": letters before digits, but those of turns and of currencies. */
const isGluedBefore = (text: string, { start }: Token): boolean => {
  const before = /[\p{L}\p{M}\p{N}_#&\\]+[.,]?$|[\p{N}][.,]$/u.exec(text.slice(0, start));
  if (!before) return false;
  return !/^(?:Q|T|US|USD|EUR|GBP|CHF)$/.test(before[0]);
};

type Span = { place: number; next: number; readings: readonly Reading[]; isInWords: boolean };

const numeralAt = (
  { text, tokens, words }: Source,
  { place, next, readings, isInWords }: Span,
  unit?: 'times' | 'part',
): Read | undefined => {
  const around = readUnit(tokens, { place, next, ...(unit ? { fixed: unit } : {}) }, words);
  if (!around) return undefined;
  const { factor, unit: read, sign, first, next: after } = around;
  const start = tokens[first]!.start;
  const { end } = tokens[after - 1]!;
  const scaled = readings.map(({ value, step }) => ({
    value: value * factor,
    step: step * factor,
  }));
  const amount = { text: text.slice(start, end), start, end, readings: scaled, unit: read };
  return { amount: { ...amount, sign, isInWords }, next: after };
};

const toRiddle = (text: string, start: number, end: number): Riddle => ({
  text: text.slice(Math.max(0, start - RIDDLE_CONTEXT), end + RIDDLE_CONTEXT).trim(),
  start,
  end,
  riddle: true,
});

const RIDDLE_CONTEXT = 12;

/**
 * "3 to 5 %" and "2, 3 and 4 million": what has no unit has that of the next; or, in "turns 2 and
 * 3", what the one before counts.
 */
const shareUnits = (
  text: string,
  found: (Numeral | Riddle)[],
  { joined }: LockWords,
): (Numeral | Riddle)[] => {
  const shared = [...found];
  const isBare = (one: Numeral | Riddle): one is Numeral =>
    !('riddle' in one) && one.unit.kind === 'bare' && (one.unit.factor ?? 1) === 1;
  const areJoined = (place: number): boolean =>
    joined.test(text.slice(shared[place]!.end, shared[place + 1]!.start));
  for (let place = shared.length - 2; place >= 0; place -= 1) {
    const one = shared[place]!;
    const other = shared[place + 1]!;
    if (!isBare(one) || 'riddle' in other || !areJoined(place)) continue;
    const { factor = 1 } = other.unit;
    const readings = one.readings.map(({ value, step }) => ({
      value: value * factor,
      step: step * factor,
    }));
    // In "from 900 to 21 thousand" both may be meant.
    const all = factor === 1 ? readings : [...readings, ...one.readings];
    shared[place] = { ...one, unit: other.unit, readings: all };
  }
  for (let place = 1; place < shared.length; place += 1) {
    const one = shared[place]!;
    const before = shared[place - 1]!;
    if (!isBare(one) || 'riddle' in before || !areJoined(place - 1)) continue;
    if (before.unit.kind === 'named') shared[place] = { ...one, unit: before.unit };
  }
  return shared;
};

/** "9 0 0" is no three numbers, and "9/10" no two. */
const toApart = (
  text: string,
  one: Numeral | Riddle,
  before: Numeral | Riddle | undefined,
): Numeral | Riddle =>
  before && /^\s*[/⁄:*^=]?\s*$/u.test(text.slice(before.end, one.start))
    ? toRiddle(text, before.start, one.end)
    : one;
