import { FEATURES } from './features.ts';
import type { Category } from '../span.ts';

/**
 * The category at index `c` has the labels `2c + 1` (token begins a span) and `2c + 2` (token
 * continues it); label 0 means outside of spans.
 */
export const NAME_CATEGORIES = [
  'PERSON',
  'ADDRESS',
  'ORG',
  'LOCATION',
] as const satisfies Category[];

export type NameCategory = (typeof NAME_CATEGORIES)[number];

export const LABEL_COUNT = 1 + 2 * NAME_CATEGORIES.length;

export const ROW_LENGTH = LABEL_COUNT - 1;

export const WINDOW = 512;

type PathFinder = {
  /** Row indexes of the features, `FEATURES` per token. The caller writes them. */
  features: Int32Array;
  /** Scores of the labels, `LABEL_COUNT` per token. The caller writes them before `find`. */
  emissions: Float64Array;
  /**
   * Writes the best label sequence to `path`; `steps` has a weight for each transition between two
   * labels. If `allowed` is given, bit `l` of `allowed(i)` allows label `l` at token `i`.
   */
  find(
    steps: Float32Array | Float64Array,
    length: number,
    path: Uint8Array,
    allowed?: (index: number) => number,
  ): void;
};

const IMPOSSIBLE = -1e12;

/** Creates a Viterbi decoder with preallocated buffers. */
export const createPathFinder = (): PathFinder => {
  const features = new Int32Array(WINDOW * FEATURES);
  const emissions = new Float64Array(WINDOW * LABEL_COUNT);
  const back = new Uint8Array(WINDOW * LABEL_COUNT);
  let best = new Float64Array(LABEL_COUNT);
  let nextBest = new Float64Array(LABEL_COUNT);
  const find: PathFinder['find'] = (steps, length, path, allowed) => {
    best.fill(IMPOSSIBLE);
    best[0] = 0;
    for (let index = 0; index < length; index++) {
      const offset = index * LABEL_COUNT;
      for (let label = 0; label < LABEL_COUNT; label++) {
        const isContinuation = label !== 0 && (label & 1) === 0;
        const previousLabel = isContinuation
          ? bestContinuation(best, steps, label)
          : bestPredecessor(best, steps, label);
        nextBest[label] =
          best[previousLabel]! +
          steps[previousLabel * LABEL_COUNT + label]! +
          emissions[offset + label]!;
        back[offset + label] = previousLabel;
      }
      if (allowed !== undefined) disallow(nextBest, allowed(index));
      const previousBest = best;
      best = nextBest;
      nextBest = previousBest;
    }
    let label = 0;
    for (let candidate = 1; candidate < LABEL_COUNT; candidate++)
      if (best[candidate]! > best[label]!) label = candidate;
    for (let index = length - 1; index >= 0; index--) {
      path[index] = label;
      label = back[index * LABEL_COUNT + label]!;
    }
  };
  return { features, emissions, find };
};

const bestContinuation = (
  best: Float64Array,
  steps: Float32Array | Float64Array,
  label: number,
): number => {
  const fromBegin = best[label - 1]! + steps[(label - 1) * LABEL_COUNT + label]!;
  return best[label]! + steps[label * LABEL_COUNT + label]! > fromBegin ? label : label - 1;
};

/**
 * Returns the best previous label for a label that does not continue a span; the lowest one on a
 * tie. Partly unrolled, because it is in a hot loop.
 */
const bestPredecessor = (
  best: Float64Array,
  steps: Float32Array | Float64Array,
  label: number,
): number => {
  let top = best[0]! + steps[label]!;
  let bestLabel = 0;
  let sum = best[1]! + steps[LABEL_COUNT + label]!;
  if (sum > top) {
    top = sum;
    bestLabel = 1;
  }
  for (let candidate = 2; candidate < LABEL_COUNT; candidate++) {
    sum = best[candidate]! + steps[candidate * LABEL_COUNT + label]!;
    if (sum > top) {
      top = sum;
      bestLabel = candidate;
    }
  }
  return bestLabel;
};

const disallow = (scores: Float64Array, allowed: number): void => {
  for (let label = 0; label < LABEL_COUNT; label++)
    if (((allowed >> label) & 1) === 0) scores[label] = IMPOSSIBLE;
};

/** Added to each weight to make it non-negative, so that two sums fit into one integer. */
const BIAS = 128;
const BYTE_MASK = 0x00ff_00ff;

export const packRows = (rows: Int8Array | Float32Array): Int32Array => {
  const packed = new Int32Array(rows.length / 4);
  for (let index = 0; index < rows.length; index++) {
    const weight = rows[index]!;
    if (weight !== (weight << 24) >> 24) throw new RangeError('Not weights in small integers.');
    packed[index >> 2]! |= (weight + BIAS) << (8 * (index & 3));
  }
  return packed;
};

/**
 * Writes the sum of the weights of each token and label to `emissions`. To speed up this hot loop,
 * it adds two weights at once, 16 bits apart; the sum of one token's rows fits in 16 bits.
 */
export const sumPackedRows = (
  packed: Int32Array,
  features: Int32Array,
  emissions: Float64Array,
  length: number,
): void => {
  for (let index = 0; index < length; index++) {
    let even = 0;
    let odd = 0;
    let laterEven = 0;
    let laterOdd = 0;
    const end = (index + 1) * FEATURES;
    for (let feature = index * FEATURES; feature < end; feature++) {
      const row = features[feature]! << 1;
      const first = packed[row]!;
      const second = packed[row + 1]!;
      even = (even + (first & BYTE_MASK)) | 0;
      odd = (odd + ((first >>> 8) & BYTE_MASK)) | 0;
      laterEven = (laterEven + (second & BYTE_MASK)) | 0;
      laterOdd = (laterOdd + ((second >>> 8) & BYTE_MASK)) | 0;
    }
    const offset = index * LABEL_COUNT;
    emissions[offset] = 0;
    writePair(emissions, offset + 1, even);
    writePair(emissions, offset + 2, odd);
    writePair(emissions, offset + 5, laterEven);
    writePair(emissions, offset + 6, laterOdd);
  }
};

const ALL_BIAS = BIAS * FEATURES;

const writePair = (emissions: Float64Array, offset: number, pair: number): void => {
  emissions[offset] = (pair & 0xffff) - ALL_BIAS;
  emissions[offset + 2] = (pair >>> 16) - ALL_BIAS;
};
