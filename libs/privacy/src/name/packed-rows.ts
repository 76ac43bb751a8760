import { FEATURES } from './features.ts';
import { LABEL_COUNT } from './labels.ts';

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
 * it adds two weights at once, 16 bits apart; bias and rows per token are too few to overflow them.
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
