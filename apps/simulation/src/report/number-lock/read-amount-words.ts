import { CARDINALS, COUNTABLE, MAGNITUDES, ORDINALS, PARTS, TENS } from './number-words.ts';
import type { Reading, Token } from './split-tokens.ts';

type AmountWords = { readings: readonly Reading[]; next: number; unit?: 'part' };

/**
 * Reads an amount in English words, such as "twenty-one", "nine hundred and five thousand", "a
 * million", "two and a half", "half of" or "two thirds of". Returns undefined if no amount begins
 * at `index`, or only a "one" that may be a pronoun.
 */
export const readAmountWords = (
  tokens: readonly Token[],
  index: number,
): AmountWords | undefined => {
  const part = readPart(tokens, index);
  if (part) return part;
  const { lower } = tokens[index]!;
  if ((lower === 'a' || lower === 'an') && COUNTABLE.has(wordAt(tokens, index + 1))) {
    return { readings: [{ value: 1, step: 1 }], next: index + 1 };
  }
  const ordinal = ORDINALS.get(lower);
  if (ordinal !== undefined && TURNS.has(wordAt(tokens, index + 1))) {
    return { readings: [{ value: ordinal, step: 1 }], next: index + 1 };
  }
  const run = readRun(tokens, index);
  if (!run) return undefined;
  const { value, next } = run;
  if (value === 1 && next === index + 1 && !isCounted(tokens, next)) return undefined;
  const half = readHalf(tokens, next);
  if (half !== undefined) return { readings: [{ value: value + 0.5, step: 0.5 }], next: half };
  return { readings: [{ value, step: 1 }], next };
};

/** Nouns before which an ordinal is read as an amount, as in "third turn". */
const TURNS = new Set(['turn', 'quarter', 'year', 'period']);

const wordAt = (tokens: readonly Token[], index: number): string => tokens[index]?.lower ?? '';

const isCounted = (tokens: readonly Token[], index: number): boolean => {
  const position = wordAt(tokens, index) === '-' ? index + 1 : index;
  const word = wordAt(tokens, position);
  const rates = ['%', 'percent', 'per', 'pct', 'percentage', 'pp', 'basis', 'times', 'fold'];
  return COUNTABLE.has(word) || rates.includes(word) || wordAt(tokens, index) === 'point';
};

type Run = { value: number; next: number };

/**
 * Reads numbers below a thousand with their magnitudes, as in "two million five thousand". The
 * magnitude of a single number, as in "two million", is left to `readUnit`.
 */
const readRun = (tokens: readonly Token[], index: number): Run | undefined => {
  let total = 0;
  let next = index;
  let hasAny = false;
  for (;;) {
    const group = readGroup(tokens, skipJoiner(tokens, next, hasAny));
    if (!group) break;
    hasAny = true;
    next = group.next;
    const word = wordAt(tokens, next);
    const magnitude = COUNTABLE.has(word) ? MAGNITUDES.get(word)! : 1;
    const continues = magnitude > 1 && readGroup(tokens, skipJoiner(tokens, next + 1, true));
    const isScaled = magnitude > 1 && (continues || total > 0);
    total += group.value * (isScaled ? magnitude : 1);
    if (isScaled) next += 1;
    if (!continues) break;
  }
  if (!hasAny) return undefined;
  return readDecimals(tokens, { value: total, next });
};

const skipJoiner = (tokens: readonly Token[], index: number, allowsJoiner: boolean): number =>
  allowsJoiner && ['and', '-'].includes(wordAt(tokens, index)) ? index + 1 : index;

const readGroup = (tokens: readonly Token[], index: number): Run | undefined => {
  const small = readSmall(tokens, index);
  if (!small || wordAt(tokens, small.next) !== 'hundred') return small;
  const value = small.value * 100;
  const rest = readSmall(tokens, skipJoiner(tokens, small.next + 1, true));
  return rest ? { value: value + rest.value, next: rest.next } : { value, next: small.next + 1 };
};

const readSmall = (tokens: readonly Token[], index: number): Run | undefined => {
  const unitDigit = CARDINALS.get(wordAt(tokens, index));
  if (unitDigit !== undefined) return { value: unitDigit, next: index + 1 };
  const tens = TENS.get(wordAt(tokens, index));
  if (tens === undefined) return undefined;
  const position = wordAt(tokens, index + 1) === '-' ? index + 2 : index + 1;
  const digit = CARDINALS.get(wordAt(tokens, position));
  const isJoined = digit !== undefined && digit > 0 && digit < 10;
  return isJoined ? { value: tens + digit, next: position + 1 } : { value: tens, next: index + 1 };
};

const readDecimals = (tokens: readonly Token[], { value, next }: Run): Run => {
  if (wordAt(tokens, next) !== 'point') return { value, next };
  let digits = '';
  let position = next + 1;
  for (; position < tokens.length; position += 1) {
    const digit = CARDINALS.get(wordAt(tokens, position));
    if (digit === undefined || digit > 9) break;
    digits += digit;
  }
  return digits === '' ? { value, next } : { value: Number(`${value}.${digits}`), next: position };
};

const readHalf = (tokens: readonly Token[], index: number): number | undefined => {
  const words = [0, 1, 2].map((offset) => wordAt(tokens, index + offset));
  return words.join(' ') === 'and a half' ? index + 3 : undefined;
};

const WORDS_BEFORE_HALF = new Set(['by', 'in', 'than', 'about', 'nearly', 'almost', 'roughly']);
const WORDS_AFTER_HALF = new Set(['of', 'the', 'its', 'their', 'as']);

const QUARTERS = 4;
const WORDS_AFTER_PART = new Set([
  'of',
  'more',
  'less',
  'higher',
  'lower',
  'larger',
  'smaller',
  'fewer',
]);

const readPart = (tokens: readonly Token[], index: number): AmountWords | undefined => {
  const word = wordAt(tokens, index);
  const after = wordAt(tokens, index + 1);
  if (word === 'half') {
    const position = ['a', '-', 'an'].includes(after) ? index + 2 : index + 1;
    if (COUNTABLE.has(wordAt(tokens, position)))
      return { readings: [{ value: 0.5, step: 0.1 }], next: position };
    const isPart = WORDS_BEFORE_HALF.has(wordAt(tokens, index - 1)) || WORDS_AFTER_HALF.has(after);
    return isPart ? part(50, index + 1) : undefined;
  }
  const count = word === 'a' ? 1 : CARDINALS.get(word);
  if (count === undefined || count === 0) return undefined;
  const position = after === '-' ? index + 2 : index + 1;
  const whole = PARTS.get(wordAt(tokens, position));
  if (whole === undefined) return undefined;
  // "two thirds" is always an amount, but "a third" may be an ordinal, and "two quarters" a
  // duration.
  const nextWord = wordAt(tokens, position + 1);
  const isAmbiguous = count === 1 || whole === QUARTERS;
  if (isAmbiguous && !WORDS_AFTER_PART.has(nextWord)) return undefined;
  return part((count / whole) * 100, position + 1);
};

const part = (percent: number, next: number): AmountWords => ({
  readings: [{ value: percent, step: 1 }],
  next,
  unit: 'part',
});
