/** Vector of length 1. */
export type UnitVector = Float16Array;

/** Maximum length of a vector; its code must fit in one row of PostgreSQL. */
export const DIMENSIONS_MAX = 16_384;

/**
 * Returns the vector scaled to length 1; undefined if it has no direction: it is empty, too long,
 * zero or not finite.
 */
export const toUnitVector = (numbers: readonly number[]): UnitVector | undefined => {
  if (numbers.length === 0 || numbers.length > DIMENSIONS_MAX) return undefined;
  const length = Math.hypot(...numbers);
  if (!Number.isFinite(length) || length === 0) return undefined;
  return Float16Array.from(numbers, (one) => one / length);
};

/**
 * Returns the signs of `vector - mean` as a bit string: 1 for numbers above 0. Vectors of one model
 * point in similar directions, so without the mean most of their signs are equal. A mean of another
 * length is ignored.
 */
export const toCode = (vector: UnitVector, mean?: UnitVector): string => {
  const centre = mean?.length === vector.length ? mean : undefined;
  let code = '';
  for (let index = 0; index < vector.length; index += 1) {
    code += vector[index]! > (centre?.[index] ?? 0) ? '1' : '0';
  }
  return code;
};

/** Returns the mean of vectors of the length of the first one; others are left out. */
export const toMean = (vectors: readonly UnitVector[]): Float16Array => {
  const { length } = vectors[0]!;
  const counted = vectors.filter((vector) => vector.length === length);
  const sums = new Float64Array(length);
  for (const vector of counted) {
    for (let index = 0; index < length; index += 1) sums[index]! += vector[index]!;
  }
  return Float16Array.from(sums, (one) => one / counted.length);
};

/** Returns the numbers as bytes: 16-bit floats, little-endian as all supported machines are. */
export const toBytes = ({ buffer, byteOffset, byteLength }: UnitVector): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Returns a vector of `toBytes`. The bytes are copied, because theirs may have an odd offset. */
export const fromBytes = (bytes: Uint8Array): UnitVector =>
  new Float16Array(Uint8Array.from(bytes).buffer);

/** Returns the cosine of the angle between two unit vectors of the same length. */
export const toCosine = (one: UnitVector, other: UnitVector | Float32Array): number => {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += one[index]! * other[index]!;
  return sum;
};
