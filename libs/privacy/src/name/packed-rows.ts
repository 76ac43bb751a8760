import { FEATURES } from './features.ts';
import { LABEL_COUNT } from './labels.ts';

/** Added to each weight to make it non-negative, so that two sums fit into one integer. */
const BIAS = 128;
const BYTE_MASK = 0x00ff_00ff;

export const packRows = (rows: Int8Array | Float32Array): Int32Array => {
  const packed = new Int32Array(rows.length / 4);
  for (let at = 0; at < rows.length; at++) {
    const weight = rows[at]!;
    if (weight !== (weight << 24) >> 24) throw new RangeError('Not weights in small integers.');
    packed[at >> 2]! |= (weight + BIAS) << (8 * (at & 3));
  }
  return packed;
};

/**
 * Writes the sum of the weights of each token and label to `emissions`. To speed up this hot loop,
 * it adds two weights at once, 16 bits apart; bias and rows per token are too few to overflow them.
 */
export const sumPackedRows = (
  packed: Int32Array,
  features: Int32Array,
  emissions: Float64Array,
  length: number,
): void => {
  for (let at = 0; at < length; at++) {
    let even = 0;
    let odd = 0;
    let laterEven = 0;
    let laterOdd = 0;
    const end = (at + 1) * FEATURES;
    for (let one = at * FEATURES; one < end; one++) {
      const row = features[one]! << 1;
      const first = packed[row]!;
      const second = packed[row + 1]!;
      even = (even + (first & BYTE_MASK)) | 0;
      odd = (odd + ((first >>> 8) & BYTE_MASK)) | 0;
      laterEven = (laterEven + (second & BYTE_MASK)) | 0;
      laterOdd = (laterOdd + ((second >>> 8) & BYTE_MASK)) | 0;
    }
    const to = at * LABEL_COUNT;
    emissions[to] = 0;
    writePair(emissions, to + 1, even);
    writePair(emissions, to + 2, odd);
    writePair(emissions, to + 5, laterEven);
    writePair(emissions, to + 6, laterOdd);
  }
};

const ALL_BIAS = BIAS * FEATURES;

const writePair = (emissions: Float64Array, to: number, pair: number): void => {
  emissions[to] = (pair & 0xffff) - ALL_BIAS;
  emissions[to + 2] = (pair >>> 16) - ALL_BIAS;
};
