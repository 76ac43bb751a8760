/**
 * ln 2 as a sum of two parts. The first part ends with zero bits, so that its multiples are exact.
 */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const PER_LN2 = 1.4426950408889634;
const SQRT2 = 1.4142135623730951;
const SQRT_HALF = 0.7071067811865476;
/** Maximum absolute exponent of `exactExp`. */
const EXPONENT_MAX = 40;
const POWER_MAX = 60;

const POWERS_OF_TWO: readonly number[] = ((): number[] => {
  const powers = [1];
  for (let index = 0; index < POWER_MAX; index += 1) {
    powers.push(powers.at(-1)! * 2);
    powers.unshift(powers[0]! / 2);
  }
  return powers;
})();

/**
 * Returns the natural logarithm for 0 < x < 1e300 with an error below 1e-12. Uses + - × ÷ only,
 * because `Math.log` may differ between JavaScript engines, which would break replays on another
 * machine.
 */
export const exactLog = (x: number): number => {
  let mantissa = x;
  let power = 0;
  while (mantissa > SQRT2) {
    mantissa /= 2;
    power += 1;
  }
  while (mantissa < SQRT_HALF) {
    mantissa *= 2;
    power -= 1;
  }
  // ln m = 2 atanh s, a series that converges fast because |s| <= 0.172. It is split into two sums
  // that the CPU can compute in parallel.
  const s = (mantissa - 1) / (mantissa + 1);
  const z = s * s;
  const z2 = z * z;
  const low = 1 + z * (1 / 3) + z2 * (1 / 5 + z * (1 / 7));
  const high = 1 / 9 + z * (1 / 11) + z2 * (1 / 13);
  return power * LN2_HIGH + (2 * s * (low + z2 * z2 * high) + power * LN2_LOW);
};

/**
 * Returns the exponential of `x`, which is clamped to ±40 first. Uses + - × ÷ only, for the same
 * reason as `exactLog`.
 */
export const exactExp = (x: number): number => {
  const cut = x > EXPONENT_MAX ? EXPONENT_MAX : x < -EXPONENT_MAX ? -EXPONENT_MAX : x;
  const power = cut * PER_LN2 + ROUNDING_CONSTANT - ROUNDING_CONSTANT;
  const r = cut - power * LN2_HIGH - power * LN2_LOW;
  const r2 = r * r;
  const r4 = r2 * r2;
  const low = 1 + r + r2 * (1 / 2 + r * (1 / 6)) + r4 * (1 / 24 + r * (1 / 120));
  const high =
    1 / 720 +
    r * (1 / 5_040) +
    r2 * (1 / 40_320 + r * (1 / 362_880)) +
    r4 * (1 / 3_628_800 + r * (1 / 39_916_800));
  return (low + r4 * r2 * high) * POWERS_OF_TWO[(power + POWER_MAX) | 0]!;
};

/**
 * 1.5 × 2^52. Doubles of this size have no fraction bits, so adding and then subtracting it rounds
 * a number to an integer.
 */
const ROUNDING_CONSTANT = 6_755_399_441_055_744;

/**
 * Rounds to a multiple of `1 / scale`, so that sums of stored amounts match what is displayed.
 * Returns 0 instead of -0, because `JSON.stringify` does not preserve the sign of -0.
 */
export const roundToScale = (value: number, scale: number): number =>
  // Twice as fast as `Math.round`, which matters because each quarter rounds dozens of numbers.
  (value * scale + ROUNDING_CONSTANT - ROUNDING_CONSTANT) / scale;

export const INDEX_SCALE = 1e9;
export const SHARE_SCALE = 1e15;

/**
 * Factor of one percent. `PERCENT_PER_YEAR` converts percent per year to a quarterly rate. Both are
 * factors, because multiplication is faster than division.
 */
export const PERCENT = 1 / 100;
export const PERCENT_PER_YEAR = 1 / 400;

export const scaleFor = (size: number, digits: number): number => {
  let scale = 1;
  for (let rest = digits - 1; size * scale < 10 ** rest && scale < 1e15;) scale *= 10;
  return scale;
};
