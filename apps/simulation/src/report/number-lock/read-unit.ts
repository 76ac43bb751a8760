import type { FigureUnit } from '../create-format-number.ts';
import type { LockWords } from './lock-words.ts';
import type { Token } from './split-tokens.ts';

export type NumeralUnit = {
  kind: 'percent' | 'multiple' | 'bare' | 'named';
  units: readonly FigureUnit[];
  factor?: number;
};

type SurroundingUnit = {
  unit: NumeralUnit;
  factor: number;
  sign: -1 | 0 | 1;
  first: number;
  next: number;
};

const CURRENCY_MARK = /^\p{Sc}$/u;
const CURRENCY_WORDS = new Set(
  'usd eur gbp chf jpy dollar dollars euro euros pound pounds francs yen'.split(' '),
);
const MONEY: readonly FigureUnit[] = ['money', 'price'];

type AmountPosition = { index: number; next: number; knownKind?: 'times' | 'part' };

/**
 * Reads the unit before and after an amount. Returns undefined if letters attached to the digits
 * show that they are not an amount.
 */
export const readUnit = (
  tokens: readonly Token[],
  { index, next: from, knownKind }: AmountPosition,
  words: LockWords,
): SurroundingUnit | undefined => {
  const { first, sign, isMoney } = readBefore(tokens, index, words);
  const span = { factor: 1, sign, first, next: from };
  if (knownKind === 'times') return { ...span, unit: { kind: 'multiple', units: [] } };
  if (knownKind === 'part') return { ...span, unit: { kind: 'percent', units: [] } };
  let next = from;
  let factor = 1;
  for (;;) {
    const position = skipHyphen(tokens, next);
    const magnitude =
      position === undefined ? undefined : words.magnitudes.get(tokens[position]!.text);
    const word = position === undefined ? undefined : words.magnitudes.get(tokens[position]!.lower);
    const found =
      magnitude ?? (position !== undefined && tokens[position]!.text.length > 2 ? word : undefined);
    if (found === undefined) break;
    factor *= found;
    next = position! + 1;
  }
  const rate = readRate(tokens, next, words);
  if (rate) {
    const { kind, next: after } = rate;
    const scale = rate.factor * factor;
    return { ...span, factor: scale, next: after, unit: { kind, units: [], factor: scale } };
  }
  const attached = tokens[next];
  if (attached?.kind === 'word' && attached.start === tokens[next - 1]!.end && next === from) {
    if (!/^(?:st|nd|rd|th)$/.test(attached.lower)) return undefined;
    next += 1;
  }
  const units = isMoney ? MONEY : readCounted(tokens, { index, next }, words);
  const kind = units ? 'named' : 'bare';
  return { ...span, factor, next, unit: { kind, units: units ?? [], factor } };
};

const readBefore = (
  tokens: readonly Token[],
  index: number,
  { signs }: LockWords,
): { first: number; sign: -1 | 0 | 1; isMoney: boolean } => {
  let first = index;
  let isMoney = false;
  const before = tokens[first - 1];
  if (before && (CURRENCY_MARK.test(before.text) || CURRENCY_WORDS.has(before.lower))) {
    isMoney = true;
    first -= 1;
    if (tokens[first - 1]?.end === before.start && tokens[first - 1]?.lower === 'us') first -= 1;
  }
  const sign = tokens[first - 1];
  if (!sign) return { first, sign: 0, isMoney };
  if (signs.has(sign.lower)) {
    return { first: first - 1, sign: -1, isMoney };
  }
  const isSign = sign.end === tokens[first]!.start && tokens[first - 2]?.end !== sign.start;
  if (isSign && /^[-−–+]$/u.test(sign.text)) {
    return { first: first - 1, sign: sign.text === '+' ? 1 : -1, isMoney };
  }
  return { first, sign: 0, isMoney };
};

const skipHyphen = (tokens: readonly Token[], index: number): number | undefined => {
  const token = tokens[index];
  if (token?.text !== '-') return token ? index : undefined;
  return tokens[index + 1]?.start === token.end ? index + 1 : undefined;
};

const BASIS_POINT = 0.01;

/** Reads "%", "percentage points", "bps", "x", "times" or "-fold" after an amount. */
const readRate = (
  tokens: readonly Token[],
  index: number,
  words: LockWords,
): { kind: 'percent' | 'multiple'; factor: number; next: number } | undefined => {
  const position = skipHyphen(tokens, index);
  if (position === undefined) return undefined;
  const { text, lower } = tokens[position]!;
  const after = tokens[position + 1]?.lower ?? '';
  if (words.times.has(lower)) return { kind: 'multiple', factor: 1, next: position + 1 };
  const percent = { kind: 'percent', factor: 1 } as const;
  if (words.basisPoints.has(lower)) return { ...percent, factor: BASIS_POINT, next: position + 1 };
  if (lower === 'basis' && after.startsWith('point')) {
    return { ...percent, factor: BASIS_POINT, next: position + 2 };
  }
  if (words.points.has(lower)) return { ...percent, next: position + 1 };
  if (lower === 'per' && after === 'cent') return { ...percent, next: position + 2 };
  const isPercent = text === '%' || words.percent.has(lower);
  if (!isPercent) return undefined;
  return {
    ...percent,
    next: after === 'points' || after === 'point' ? position + 2 : position + 1,
  };
};

/**
 * Maximum number of words between an amount and the noun that it counts, such as "active" in "two
 * active scenarios".
 */
const ADJECTIVES_MAX = 2;
const readCounted = (
  tokens: readonly Token[],
  { index, next }: { index: number; next: number },
  { turnNouns, nounSearchEnds, counts }: LockWords,
): readonly FigureUnit[] | undefined => {
  const before = tokens[index - 1];
  if (before && turnNouns.has(before.lower)) return ['turn'];
  for (let position = next; position <= next + ADJECTIVES_MAX; position += 1) {
    const token = tokens[position];
    if (!token || token.kind === 'digits' || nounSearchEnds.has(token.lower)) return undefined;
    if (CURRENCY_MARK.test(token.text) || CURRENCY_WORDS.has(token.lower)) return MONEY;
    if (token.kind === 'mark' && token.text !== '-') return undefined;
    const units = counts.get(token.lower);
    if (units) return units;
  }
  return undefined;
};
