import { GATE_FEATURES, writeGateFeatures, type Clues } from './features.ts';
import { WINDOW } from './find-path.ts';
import { LISTED } from './gazetteer.ts';
import { EDGE_TOKENS, FORM, GAP, type Tokens } from './tokenize.ts';

const TOKENS_BEFORE = 3;
const TOKENS_AFTER = 2;

const NAMES = LISTED.popular | LISTED.place | LISTED.org;

/** Logistic regression that selects the tokens worth decoding. It has one weight per row. */
export type Gate = { rows: Int8Array | Float32Array; threshold: number };

/**
 * Returns true if the token could be a name judged by itself: it is not punctuation, and not a
 * common word in its usual case.
 */
export const mayBeName = ({ form, gap }: Tokens, { listed }: Clues, at: number): boolean => {
  const kind = form[at]!;
  if (kind >= FORM.punctuation) return false;
  if ((listed[at]! & LISTED.common) === 0) return true;
  if (kind === FORM.lower) return false;
  const isFirst = gap[at] === GAP.line || form[at - 1] === FORM.punctuation;
  return !(kind === FORM.capital && isFirst && (listed[at]! & NAMES) === 0);
};

export const shiftFor = (rows: number): number => Math.clz32(rows) + 1;

export type WindowFinder = (
  tokens: Tokens,
  clues: Clues,
  visit: (from: number, to: number) => void,
) => void;

/**
 * Returns a function that visits the ranges of tokens to decode: tokens that score above the
 * threshold and a few around them. A range never includes a taken token.
 */
export const createWindowFinder = ({ rows, threshold }: Gate): WindowFinder => {
  const shift = shiftFor(rows.length);
  const features = new Int32Array(GATE_FEATURES);
  const isLikelyName = (tokens: Tokens, clues: Clues, at: number): boolean => {
    writeGateFeatures(tokens, clues, at, shift, features);
    let sum = 0;
    for (let one = 0; one < GATE_FEATURES; one++) sum += rows[features[one]!]!;
    return sum > threshold;
  };
  return (tokens, clues, visit) => {
    const { form, count } = tokens;
    let from = -1;
    let until = EDGE_TOKENS;
    for (let at = EDGE_TOKENS; at < count; at++) {
      const isTaken = form[at] === FORM.taken;
      if (from >= 0 && (isTaken || at >= until + TOKENS_BEFORE || at - from >= WINDOW)) {
        until = Math.min(at, until);
        visit(from, until);
        from = -1;
      }
      if (isTaken) until = at + 1;
      else if (mayBeName(tokens, clues, at) && isLikelyName(tokens, clues, at)) {
        if (from < 0) from = Math.max(at - TOKENS_BEFORE, until);
        until = Math.min(at + 1 + TOKENS_AFTER, count);
      }
    }
    if (from >= 0) visit(from, until);
  };
};
