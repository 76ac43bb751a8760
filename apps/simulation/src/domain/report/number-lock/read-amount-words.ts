import { CARDINALS, COUNTABLE, MAGNITUDES, ORDINALS, PARTS, TENS } from './number-words.ts';
import type { Reading, Token } from './split-tokens.ts';

/** An amount in English words; the tokens up to `next` are its own. */
export type AmountWords = { readings: readonly Reading[]; next: number; unit?: 'part' };

/**
 * "twenty-one", "nine hundred and five thousand", "a million", "two and a half", "half of", "two
 * thirds of". Undefined: no amount begins at `place`, or only the "one" that stands for somebody.
 */
export const readAmountWords = (
  tokens: readonly Token[],
  place: number,
): AmountWords | undefined => {
  const part = readPart(tokens, place);
  if (part) return part;
  const { lower } = tokens[place]!;
  if ((lower === 'a' || lower === 'an') && COUNTABLE.has(wordAt(tokens, place + 1))) {
    return { readings: [{ value: 1, step: 1 }], next: place + 1 };
  }
  const ordinal = ORDINALS.get(lower);
  if (ordinal !== undefined && TURNS.has(wordAt(tokens, place + 1))) {
    return { readings: [{ value: ordinal, step: 1 }], next: place + 1 };
  }
  const run = readRun(tokens, place);
  if (!run) return undefined;
  const { value, next } = run;
  if (value === 1 && next === place + 1 && !isCounted(tokens, next)) return undefined;
  const half = readHalf(tokens, next);
  if (half !== undefined) return { readings: [{ value: value + 0.5, step: 0.5 }], next: half };
  return { readings: [{ value, step: 1 }], next };
};

/** "the ninth turn" says which; of other things an ordinal is only their place in the text. */
const TURNS = new Set(['turn', 'quarter', 'year', 'period']);

const wordAt = (tokens: readonly Token[], place: number): string => tokens[place]?.lower ?? '';

/** "one" is a number before what it counts: a magnitude, or a rate. */
const isCounted = (tokens: readonly Token[], place: number): boolean => {
  const at = wordAt(tokens, place) === '-' ? place + 1 : place;
  const word = wordAt(tokens, at);
  const rates = ['%', 'percent', 'per', 'pct', 'percentage', 'pp', 'basis', 'times', 'fold'];
  return COUNTABLE.has(word) || rates.includes(word) || wordAt(tokens, place) === 'point';
};

type Run = { value: number; next: number };

/** Numbers below a thousand, with what multiplies them; a last magnitude is left to the unit. */
const readRun = (tokens: readonly Token[], place: number): Run | undefined => {
  let total = 0;
  let next = place;
  let hasAny = false;
  for (;;) {
    const group = readGroup(tokens, skipJoint(tokens, next, hasAny));
    if (!group) break;
    hasAny = true;
    next = group.next;
    const word = wordAt(tokens, next);
    const magnitude = COUNTABLE.has(word) ? MAGNITUDES.get(word)! : 1;
    const goesOn = magnitude > 1 && readGroup(tokens, skipJoint(tokens, next + 1, true));
    // In "two million" the unit multiplies.
    const isScaled = magnitude > 1 && (goesOn || total > 0);
    total += group.value * (isScaled ? magnitude : 1);
    if (isScaled) next += 1;
    if (!goesOn) break;
  }
  if (!hasAny) return undefined;
  return readDecimals(tokens, { value: total, next });
};

const skipJoint = (tokens: readonly Token[], place: number, isInside: boolean): number =>
  isInside && ['and', '-'].includes(wordAt(tokens, place)) ? place + 1 : place;

/** "nine", "twenty-one", "nine hundred and five". */
const readGroup = (tokens: readonly Token[], place: number): Run | undefined => {
  const small = readSmall(tokens, place);
  if (!small || wordAt(tokens, small.next) !== 'hundred') return small;
  const value = small.value * 100;
  const rest = readSmall(tokens, skipJoint(tokens, small.next + 1, true));
  return rest ? { value: value + rest.value, next: rest.next } : { value, next: small.next + 1 };
};

const readSmall = (tokens: readonly Token[], place: number): Run | undefined => {
  const one = CARDINALS.get(wordAt(tokens, place));
  if (one !== undefined) return { value: one, next: place + 1 };
  const ten = TENS.get(wordAt(tokens, place));
  if (ten === undefined) return undefined;
  const at = wordAt(tokens, place + 1) === '-' ? place + 2 : place + 1;
  const digit = CARDINALS.get(wordAt(tokens, at));
  const isJoined = digit !== undefined && digit > 0 && digit < 10;
  return isJoined ? { value: ten + digit, next: at + 1 } : { value: ten, next: place + 1 };
};

/** "two point one five". */
const readDecimals = (tokens: readonly Token[], { value, next }: Run): Run => {
  if (wordAt(tokens, next) !== 'point') return { value, next };
  let digits = '';
  let at = next + 1;
  for (; at < tokens.length; at += 1) {
    const digit = CARDINALS.get(wordAt(tokens, at));
    if (digit === undefined || digit > 9) break;
    digits += digit;
  }
  return digits === '' ? { value, next } : { value: Number(`${value}.${digits}`), next: at };
};

/** "and a half". */
const readHalf = (tokens: readonly Token[], place: number): number | undefined => {
  const words = [0, 1, 2].map((offset) => wordAt(tokens, place + offset));
  return words.join(' ') === 'and a half' ? place + 3 : undefined;
};

const BEFORE_HALF = new Set(['by', 'in', 'than', 'about', 'nearly', 'almost', 'roughly']);
const AFTER_HALF = new Set(['of', 'the', 'its', 'their', 'as']);

const QUARTERS = 4;
const AFTER_PART = new Set(['of', 'more', 'less', 'higher', 'lower', 'larger', 'smaller', 'fewer']);

/** Parts of a whole, in percent; half a million is an amount. */
const readPart = (tokens: readonly Token[], place: number): AmountWords | undefined => {
  const word = wordAt(tokens, place);
  const after = wordAt(tokens, place + 1);
  if (word === 'half') {
    const at = ['a', '-', 'an'].includes(after) ? place + 2 : place + 1;
    if (COUNTABLE.has(wordAt(tokens, at)))
      return { readings: [{ value: 0.5, step: 0.1 }], next: at };
    const isPart = BEFORE_HALF.has(wordAt(tokens, place - 1)) || AFTER_HALF.has(after);
    return isPart ? part(50, place + 1) : undefined;
  }
  const count = word === 'a' ? 1 : CARDINALS.get(word);
  if (count === undefined || count === 0) return undefined;
  const at = after === '-' ? place + 2 : place + 1;
  const whole = PARTS.get(wordAt(tokens, at));
  if (whole === undefined) return undefined;
  // "two thirds" is an amount whatever follows; "a third" may be another one, "two quarters" time.
  const behind = wordAt(tokens, at + 1);
  const isOpen = count === 1 || whole === QUARTERS;
  if (isOpen && !AFTER_PART.has(behind)) return undefined;
  return part((count / whole) * 100, at + 1);
};

const part = (percent: number, next: number): AmountWords => ({
  readings: [{ value: percent, step: 1 }],
  next,
  unit: 'part',
});
