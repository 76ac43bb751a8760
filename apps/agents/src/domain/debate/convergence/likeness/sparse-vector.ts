/**
 * Weights of few of very many features. Keys ascend, and every sum is taken in their order: the
 * same vectors give the same bits, whichever is first.
 */
export type SparseVector = {
  keys: Int32Array;
  weights: Float64Array;
  /** Its length. */
  norm: number;
};

/** A vector of weights, whose keys ascend. */
export const toSparseVector = (keys: Int32Array, weights: Float64Array): SparseVector => {
  let squares = 0;
  for (const weight of weights) squares += weight * weight;
  return { keys, weights, norm: Math.sqrt(squares) };
};

/** The cosine of two vectors without negative weights: 0 to 1; 0 when one is empty. */
export const cosineOf = (one: SparseVector, other: SparseVector): number => {
  if (one.norm === 0 || other.norm === 0) return 0;
  let sum = 0;
  let left = 0;
  let right = 0;
  while (left < one.keys.length && right < other.keys.length) {
    const apart = one.keys[left]! - other.keys[right]!;
    if (apart === 0) sum += one.weights[left]! * other.weights[right]!;
    if (apart <= 0) left += 1;
    if (apart >= 0) right += 1;
  }
  return Math.min(1, sum / (one.norm * other.norm));
};
