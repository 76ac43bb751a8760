import { GATE_FEATURES, writeGateFeatures, type Clues } from './features.ts';
import { WINDOW } from './find-path.ts';
import { LISTED } from './gazetteer.ts';
import { EDGES, FORM, GAP, type Tokens } from './tokenize.ts';

/** Tokens before and after a hot one that are decoded too. */
const BEFORE = 3;
const AFTER = 2;

const NAMES = LISTED.popular | LISTED.place | LISTED.org;

/** Weights of the gate: one for each row, and what the sum of a hot token exceeds. */
export type Gate = { rows: Int8Array | Float32Array; threshold: number };

/** Whether a token alone may be reason to look: no mark, no word that is common as it stands. */
export const isReason = ({ form, gap }: Tokens, { listed }: Clues, at: number): boolean => {
  const kind = form[at]!;
  if (kind >= FORM.punctuation) return false;
  if ((listed[at]! & LISTED.common) === 0) return true;
  if (kind === FORM.lower) return false;
  const isFirst = gap[at] === GAP.line || form[at - 1] === FORM.punctuation;
  return !(kind === FORM.capital && isFirst && (listed[at]! & NAMES) === 0);
};

/** The bits by which row numbers are shifted down for a table of so many rows. */
export const shiftFor = (rows: number): number => Math.clz32(rows) + 1;

/** Calls `visit` for each stretch of a text's tokens that is worth decoding, in order. */
export type WindowFinder = (
  tokens: Tokens,
  clues: Clues,
  visit: (from: number, to: number) => void,
) => void;

/**
 * Finds the tokens that the gate calls hot, and some around them. Taken spans end a stretch.
 */
export const createWindowFinder = ({ rows, threshold }: Gate): WindowFinder => {
  const shift = shiftFor(rows.length);
  const features = new Int32Array(GATE_FEATURES);
  const isHot = (tokens: Tokens, clues: Clues, at: number): boolean => {
    writeGateFeatures(tokens, clues, at, shift, features);
    let sum = 0;
    for (let one = 0; one < GATE_FEATURES; one++) sum += rows[features[one]!]!;
    return sum > threshold;
  };
  return (tokens, clues, visit) => {
    const { form, count } = tokens;
    let from = -1;
    let until = EDGES;
    for (let at = EDGES; at < count; at++) {
      const isTaken = form[at] === FORM.taken;
      if (from >= 0 && (isTaken || at >= until + BEFORE || at - from >= WINDOW)) {
        until = Math.min(at, until);
        visit(from, until);
        from = -1;
      }
      if (isTaken) until = at + 1;
      else if (isReason(tokens, clues, at) && isHot(tokens, clues, at)) {
        if (from < 0) from = Math.max(at - BEFORE, until);
        until = Math.min(at + 1 + AFTER, count);
      }
    }
    if (from >= 0) visit(from, until);
  };
};
