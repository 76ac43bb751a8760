import type { FactUnit } from './fact.ts';
import { MAGNITUDES } from './number-words.ts';
import type { Token } from './split-tokens.ts';

/** What an amount counts, as far as the words around it tell. */
export type NumeralUnit = {
  kind: 'percent' | 'multiple' | 'bare' | 'named';
  /** Of a named one: what it may count. */
  units: readonly FactUnit[];
  /** What the digits were multiplied by. */
  factor?: number;
};

export type UnitAround = {
  unit: NumeralUnit;
  factor: number;
  sign: -1 | 0 | 1;
  /** Tokens that belong to the amount, with its sign and unit. */
  first: number;
  next: number;
};

/** Words that say what is counted, by what that may be. */
const COUNTS: ReadonlyMap<string, readonly FactUnit[]> = toWords([
  ['month months', ['months']],
  ['turn turns quarter quarters year years period periods', ['turns', 'turn']],
  ['employee employees people staff heads workers hires jobs fte', ['people']],
  ['scenario scenarios branch branches', ['scenarios']],
  ['agent agents adviser advisers advisor advisors', ['agents']],
  ['event events shock shocks', ['events']],
]);
const TURN_BEFORE = new Set(['turn', 'turns', 'quarter', 'quarters', 'year', 'years', 'q', 't']);
const CURRENCY_MARK = /^\p{Sc}$/u;
const CURRENCY_WORDS = new Set(
  'usd eur gbp chf jpy dollar dollars euro euros pound pounds francs yen'.split(' '),
);
const MONEY: readonly FactUnit[] = ['money', 'price'];

/** Letters that may stand right behind digits, beside magnitudes. */
const TIMES = new Set(['x', 'X', '×', 'times', 'fold']);
const POINTS = new Set(['pp', 'ppt', 'ppts', 'pps']);

type Around = { place: number; next: number; fixed?: 'times' | 'part' };

function toWords(
  counts: readonly (readonly [words: string, units: readonly FactUnit[]])[],
): Map<string, readonly FactUnit[]> {
  return new Map(
    counts.flatMap(([words, units]) => words.split(' ').map((word) => [word, units] as const)),
  );
}

/** What stands around an amount; undefined: letters that make it something else. */
export const readUnit = (
  tokens: readonly Token[],
  { place, next: from, fixed }: Around,
): UnitAround | undefined => {
  const { first, sign, isMoney } = readBefore(tokens, place);
  const span = { factor: 1, sign, first, next: from };
  if (fixed === 'times') return { ...span, unit: { kind: 'multiple', units: [] } };
  if (fixed === 'part') return { ...span, unit: { kind: 'percent', units: [] } };
  let next = from;
  let factor = 1;
  for (;;) {
    const at = skipHyphen(tokens, next);
    const magnitude = at === undefined ? undefined : MAGNITUDES.get(tokens[at]!.text);
    const word = at === undefined ? undefined : MAGNITUDES.get(tokens[at]!.lower);
    const found = magnitude ?? (at !== undefined && tokens[at]!.text.length > 2 ? word : undefined);
    if (found === undefined) break;
    factor *= found;
    next = at! + 1;
  }
  const rate = readRate(tokens, next);
  if (rate) {
    const { kind, next: after } = rate;
    const scale = rate.factor * factor;
    return { ...span, factor: scale, next: after, unit: { kind, units: [], factor: scale } };
  }
  const glued = tokens[next];
  if (glued?.kind === 'word' && glued.start === tokens[next - 1]!.end && next === from) {
    // An ordinal says which turn; other letters make it no number.
    if (!/^(?:st|nd|rd|th)$/.test(glued.lower)) return undefined;
    next += 1;
  }
  const units = isMoney ? MONEY : readCounted(tokens, { place, next });
  const kind = units ? 'named' : 'bare';
  return { ...span, factor, next, unit: { kind, units: units ?? [], factor } };
};

/** The sign and the currency before an amount. */
const readBefore = (
  tokens: readonly Token[],
  place: number,
): { first: number; sign: -1 | 0 | 1; isMoney: boolean } => {
  let first = place;
  let isMoney = false;
  const before = tokens[first - 1];
  if (before && (CURRENCY_MARK.test(before.text) || CURRENCY_WORDS.has(before.lower))) {
    isMoney = true;
    first -= 1;
    // "US$".
    if (tokens[first - 1]?.end === before.start && tokens[first - 1]?.lower === 'us') first -= 1;
  }
  const sign = tokens[first - 1];
  if (!sign) return { first, sign: 0, isMoney };
  if (sign.lower === 'minus' || sign.lower === 'negative') {
    return { first: first - 1, sign: -1, isMoney };
  }
  const stands = sign.end === tokens[first]!.start && tokens[first - 2]?.end !== sign.start;
  if (stands && /^[-−–+]$/u.test(sign.text)) {
    return { first: first - 1, sign: sign.text === '+' ? 1 : -1, isMoney };
  }
  return { first, sign: 0, isMoney };
};

const skipHyphen = (tokens: readonly Token[], place: number): number | undefined => {
  const token = tokens[place];
  if (token?.text !== '-') return token ? place : undefined;
  return tokens[place + 1]?.start === token.end ? place + 1 : undefined;
};

const BASIS_POINT = 0.01;

/** "%", "percentage points", "bps", "x", "times", "-fold". */
const readRate = (
  tokens: readonly Token[],
  place: number,
): { kind: 'percent' | 'multiple'; factor: number; next: number } | undefined => {
  const at = skipHyphen(tokens, place);
  if (at === undefined) return undefined;
  const { text, lower } = tokens[at]!;
  const after = tokens[at + 1]?.lower ?? '';
  if (TIMES.has(text) || TIMES.has(lower)) return { kind: 'multiple', factor: 1, next: at + 1 };
  const percent = { kind: 'percent', factor: 1 } as const;
  if (lower === 'bps' || lower === 'bp') return { ...percent, factor: BASIS_POINT, next: at + 1 };
  if (lower === 'basis' && after.startsWith('point')) {
    return { ...percent, factor: BASIS_POINT, next: at + 2 };
  }
  if (POINTS.has(lower)) return { ...percent, next: at + 1 };
  if (lower === 'per' && after === 'cent') return { ...percent, next: at + 2 };
  const isPercent = text === '%' || ['percent', 'pct', 'percentage'].includes(lower);
  if (!isPercent) return undefined;
  return { ...percent, next: after === 'points' || after === 'point' ? at + 2 : at + 1 };
};

/** Words between an amount and what it counts: "two active scenarios". */
const ADJECTIVES_MAX = 2;
/** Behind one of these stands something else: "1.2 million in turn 3", "5 a year". */
const ENDS = new Set(
  'a after an and as at before but by during each every for from in into of on or over per than'
    .concat(' that the then to until when which while with within')
    .split(' '),
);

const readCounted = (
  tokens: readonly Token[],
  { place, next }: { place: number; next: number },
): readonly FactUnit[] | undefined => {
  const before = tokens[place - 1];
  if (before && TURN_BEFORE.has(before.lower)) return ['turn'];
  for (let at = next; at <= next + ADJECTIVES_MAX; at += 1) {
    const token = tokens[at];
    if (!token || token.kind === 'digits' || ENDS.has(token.lower)) return undefined;
    if (CURRENCY_MARK.test(token.text) || CURRENCY_WORDS.has(token.lower)) return MONEY;
    if (token.kind === 'mark' && token.text !== '-') return undefined;
    const units = COUNTS.get(token.lower);
    if (units) return units;
  }
  return undefined;
};
