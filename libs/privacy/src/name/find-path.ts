import { LABEL_COUNT, ROW_LENGTH } from './labels.ts';
import { FEATURES } from './features.ts';

/**
 * Weights of the model: `ROW_LENGTH` label weights per feature row, and a weight per transition
 * between two labels.
 */
export type Scores = {
  rows: Int8Array | Float32Array;
  steps: Int16Array | Float32Array | Float64Array;
};

export const WINDOW = 512;

export type PathFinder = {
  /** Row indexes of the features, `FEATURES` per token. The caller writes them before scoring. */
  features: Int32Array;
  score(scores: Pick<Scores, 'rows'>, length: number): void;
  /**
   * Writes the best label sequence to `path`. If `allowed` is given, bit `l` of `allowed(i)` allows
   * label `l` at token `i`.
   */
  find(
    scores: Pick<Scores, 'steps'>,
    length: number,
    path: Uint8Array,
    allowed?: (at: number) => number,
  ): void;
  emissions: Float64Array;
};

const IMPOSSIBLE = -1e12;

/** Creates a Viterbi decoder with preallocated buffers. */
export const createPathFinder = (): PathFinder => {
  const features = new Int32Array(WINDOW * FEATURES);
  const emissions = new Float64Array(WINDOW * LABEL_COUNT);
  const back = new Uint8Array(WINDOW * LABEL_COUNT);
  let best = new Float64Array(LABEL_COUNT);
  let after = new Float64Array(LABEL_COUNT);
  const find: PathFinder['find'] = ({ steps }, length, path, allowed) => {
    best.fill(IMPOSSIBLE);
    best[0] = 0;
    for (let at = 0; at < length; at++) {
      const to = at * LABEL_COUNT;
      for (let label = 0; label < LABEL_COUNT; label++) {
        const isContinuation = label !== 0 && (label & 1) === 0;
        const from = isContinuation
          ? bestContinuation(best, steps, label)
          : bestPredecessor(best, steps, label);
        after[label] = best[from]! + steps[from * LABEL_COUNT + label]! + emissions[to + label]!;
        back[to + label] = from;
      }
      if (allowed !== undefined) disallow(after, allowed(at));
      const before = best;
      best = after;
      after = before;
    }
    let label = 0;
    for (let one = 1; one < LABEL_COUNT; one++) if (best[one]! > best[label]!) label = one;
    for (let at = length - 1; at >= 0; at--) {
      path[at] = label;
      label = back[at * LABEL_COUNT + label]!;
    }
  };
  return {
    features,
    score: ({ rows }, length) => sumRows(rows, features, emissions, length),
    find,
    emissions,
  };
};

const bestContinuation = (best: Float64Array, steps: Scores['steps'], label: number): number => {
  const fromBegin = best[label - 1]! + steps[(label - 1) * LABEL_COUNT + label]!;
  return best[label]! + steps[label * LABEL_COUNT + label]! > fromBegin ? label : label - 1;
};

/**
 * Returns the best previous label for a label that does not continue a span; the lowest one on a
 * tie. Partly unrolled, because it is in a hot loop.
 */
const bestPredecessor = (best: Float64Array, steps: Scores['steps'], label: number): number => {
  let top = best[0]! + steps[label]!;
  let from = 0;
  let sum = best[1]! + steps[LABEL_COUNT + label]!;
  if (sum > top) {
    top = sum;
    from = 1;
  }
  for (let before = 2; before < LABEL_COUNT; before++) {
    sum = best[before]! + steps[before * LABEL_COUNT + label]!;
    if (sum > top) {
      top = sum;
      from = before;
    }
  }
  return from;
};

const disallow = (scores: Float64Array, allowed: number): void => {
  for (let label = 0; label < LABEL_COUNT; label++)
    if (((allowed >> label) & 1) === 0) scores[label] = IMPOSSIBLE;
};

const sumRows = (
  rows: Scores['rows'],
  features: Int32Array,
  emissions: Float64Array,
  length: number,
): void => {
  for (let at = 0; at < length; at++) {
    let a = 0,
      b = 0,
      c = 0,
      d = 0,
      e = 0,
      f = 0,
      g = 0,
      h = 0;
    for (let one = at * FEATURES; one < (at + 1) * FEATURES; one++) {
      const row = features[one]! * ROW_LENGTH;
      a += rows[row]!;
      b += rows[row + 1]!;
      c += rows[row + 2]!;
      d += rows[row + 3]!;
      e += rows[row + 4]!;
      f += rows[row + 5]!;
      g += rows[row + 6]!;
      h += rows[row + 7]!;
    }
    const to = at * LABEL_COUNT;
    emissions[to] = 0;
    emissions[to + 1] = a;
    emissions[to + 2] = b;
    emissions[to + 3] = c;
    emissions[to + 4] = d;
    emissions[to + 5] = e;
    emissions[to + 6] = f;
    emissions[to + 7] = g;
    emissions[to + 8] = h;
  }
};
