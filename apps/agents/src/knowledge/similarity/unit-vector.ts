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

/** Returns the signs of a vector as a bit string: 1 for numbers above 0. */
export const toCode = (vector: UnitVector): string => {
  let code = '';
  for (const one of vector) code += one > 0 ? '1' : '0';
  return code;
};

/** Returns the numbers as bytes: 16-bit floats, little-endian as all supported machines are. */
export const toBytes = ({ buffer, byteOffset, byteLength }: UnitVector): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Returns a vector of `toBytes`. The bytes are copied, because theirs may have an odd offset. */
export const fromBytes = (bytes: Uint8Array): UnitVector =>
  new Float16Array(Uint8Array.from(bytes).buffer);

/** Returns the cosine of the angle between two unit vectors of the same length. */
export const toCosine = (one: UnitVector, other: UnitVector): number => {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += one[index]! * other[index]!;
  return sum;
};
