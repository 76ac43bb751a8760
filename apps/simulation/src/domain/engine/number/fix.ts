/** 1.5 × 2^52: beside it a double has no room for fractions; added and taken away, it rounds. */
export const WHOLE = 6_755_399_441_055_744;

/**
 * The decimal number nearest to `value` with `1 / scale` as its step. States hold only such
 * numbers: what is in the books is what is shown, and sums of money close to the last cent. Beyond
 * 2^51 steps it keeps the digits that a double has. Never -0, which JSON would lose.
 */
export const fix = (value: number, scale: number): number =>
  // Half of the time of Math.round, and a quarter has some eighty of these.
  (value * scale + WHOLE - WHOLE) / scale;

/** Steps of what is no money: indices and percentages, and shares, which may be tiny. */
export const INDEX_SCALE = 1e9;
export const SHARE_SCALE = 1e15;

/**
 * Multiplying is faster than dividing. One percent, and the quarter's part of one percent a year.
 */
export const PERCENT = 1 / 100;
export const PERCENT_A_YEAR = 1 / 400;

/** The power of ten with which `size` keeps that many digits; 1 at least, 1e15 at most. */
export const scaleFor = (size: number, digits: number): number => {
  let scale = 1;
  for (let rest = digits - 1; size * scale < 10 ** rest && scale < 1e15;) scale *= 10;
  return scale;
};
