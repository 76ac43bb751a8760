/**
 * Vector with ascending keys. Sums are computed in this order, so that results are bit-identical.
 */
export type SparseVector = {
  keys: Int32Array;
  weights: Float64Array;
  norm: number;
};

export const toSparseVector = (keys: Int32Array, weights: Float64Array): SparseVector => {
  let squares = 0;
  for (const weight of weights) squares += weight * weight;
  return { keys, weights, norm: Math.sqrt(squares) };
};

/**
 * Returns the cosine of two vectors with non-negative weights, 0 to 1; 0 if either vector is empty.
 */
export const cosineOf = (one: SparseVector, other: SparseVector): number => {
  if (one.norm === 0 || other.norm === 0) return 0;
  let sum = 0;
  let left = 0;
  let right = 0;
  while (left < one.keys.length && right < other.keys.length) {
    const keyDifference = one.keys[left]! - other.keys[right]!;
    if (keyDifference === 0) sum += one.weights[left]! * other.weights[right]!;
    if (keyDifference <= 0) left += 1;
    if (keyDifference >= 0) right += 1;
  }
  return Math.min(1, sum / (one.norm * other.norm));
};
