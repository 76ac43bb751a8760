import { LABELS, ROW } from './labels.ts';
import { FEATURES } from './features.ts';

/** Numbers by row: feature rows of `ROW` labels, then transitions from label to label. */
export type Scores = { rows: Int8Array | Float32Array; steps: Int16Array | Float32Array };

/** Tokens that are decoded together at most. */
export const WINDOW = 512;

export type PathFinder = {
  /** Row numbers of the window's features, `FEATURES` for each token: the caller writes them. */
  features: Int32Array;
  /** Sums the rows into the emissions of the first `length` tokens. */
  score(scores: Scores, length: number): void;
  /** Writes the best labels to `path`; label `l` may stand at `i` if `allowed(i)` has bit `l`. */
  find(scores: Scores, length: number, path: Uint8Array, allowed?: (at: number) => number): void;
  emissions: Float64Array;
};

const ALL = (1 << LABELS) - 1;
const IMPOSSIBLE = -1e12;

/** A Viterbi decoder with its own buffers. */
export const createPathFinder = (): PathFinder => {
  const features = new Int32Array(WINDOW * FEATURES);
  const emissions = new Float64Array(WINDOW * LABELS);
  const back = new Uint8Array(WINDOW * LABELS);
  let best = new Float64Array(LABELS);
  let after = new Float64Array(LABELS);
  const find: PathFinder['find'] = ({ steps }, length, path, allowed) => {
    best.fill(IMPOSSIBLE);
    best[0] = 0;
    for (let at = 0; at < length; at++) {
      const can = allowed === undefined ? ALL : allowed(at);
      const to = at * LABELS;
      for (let label = 0; label < LABELS; label++) {
        const goesOn = label !== 0 && (label & 1) === 0;
        const first = goesOn ? label - 1 : 0;
        const last = goesOn ? label : LABELS - 1;
        let top = IMPOSSIBLE * 2;
        let from = 0;
        for (let before = first; before <= last; before++) {
          const sum = best[before]! + steps[before * LABELS + label]!;
          if (sum > top) {
            top = sum;
            from = before;
          }
        }
        after[label] = (can >> label) & 1 ? top + emissions[to + label]! : IMPOSSIBLE;
        back[to + label] = from;
      }
      [best, after] = [after, best];
    }
    let label = 0;
    for (let one = 1; one < LABELS; one++) if (best[one]! > best[label]!) label = one;
    for (let at = length - 1; at >= 0; at--) {
      path[at] = label;
      label = back[at * LABELS + label]!;
    }
  };
  return {
    features,
    score: ({ rows }, length) => sumRows(rows, features, emissions, length),
    find,
    emissions,
  };
};

/** Adds up the weights of each token by label; unrolled, for it is the hot loop. */
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
      const row = features[one]! * ROW;
      a += rows[row]!;
      b += rows[row + 1]!;
      c += rows[row + 2]!;
      d += rows[row + 3]!;
      e += rows[row + 4]!;
      f += rows[row + 5]!;
      g += rows[row + 6]!;
      h += rows[row + 7]!;
    }
    const to = at * LABELS;
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
