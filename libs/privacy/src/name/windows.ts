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
 * Returns true if the token could be a name: it is not punctuation, and not a common word in lower
 * case or with the capital of a sentence start.
 */
export const mayBeName = ({ form, gap }: Tokens, { listed }: Clues, index: number): boolean => {
  const kind = form[index]!;
  if (kind >= FORM.punctuation) return false;
  if ((listed[index]! & LISTED.common) === 0) return true;
  if (kind === FORM.lower) return false;
  const isFirst = gap[index] === GAP.line || form[index - 1] === FORM.punctuation;
  return !(kind === FORM.capital && isFirst && (listed[index]! & NAMES) === 0);
};

export const shiftFor = (rows: number): number => Math.clz32(rows) + 1;

export type WindowFinder = (
  tokens: Tokens,
  clues: Clues,
  visit: (from: number, to: number) => void,
) => { readTo: (end: number) => void; finish: () => void };

/**
 * Returns a function that visits the ranges of tokens to decode: tokens that score above the
 * threshold and a few around them. A range never includes a taken token. `readTo` visits those that
 * end before an ascending token index, `finish` the last one.
 */
export const createWindowFinder = ({ rows, threshold }: Gate): WindowFinder => {
  const shift = shiftFor(rows.length);
  const features = new Int32Array(GATE_FEATURES);
  const isLikelyName = (tokens: Tokens, clues: Clues, index: number): boolean => {
    writeGateFeatures(tokens, clues, index, shift, features);
    let sum = 0;
    for (let feature = 0; feature < GATE_FEATURES; feature++) sum += rows[features[feature]!]!;
    return sum > threshold;
  };
  return (tokens, clues, visit) => {
    const { form, count } = tokens;
    let index = EDGE_TOKENS;
    let from = -1;
    let windowEnd = EDGE_TOKENS;
    return {
      readTo: (end) => {
        for (; index < end; index++) {
          const isTaken = form[index] === FORM.taken;
          const isOpen = from >= 0;
          if (isOpen && (isTaken || index >= windowEnd + TOKENS_BEFORE || index - from >= WINDOW)) {
            windowEnd = Math.min(index, windowEnd);
            visit(from, windowEnd);
            from = -1;
          }
          if (isTaken) windowEnd = index + 1;
          else if (mayBeName(tokens, clues, index) && isLikelyName(tokens, clues, index)) {
            if (from < 0) from = Math.max(index - TOKENS_BEFORE, windowEnd);
            windowEnd = Math.min(index + 1 + TOKENS_AFTER, count);
          }
        }
      },
      finish: () => {
        if (from >= 0) visit(from, windowEnd);
      },
    };
  };
};
