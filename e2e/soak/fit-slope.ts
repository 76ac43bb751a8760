export type Point = { minute: number; value: number };

/** A growth rate with its standard error. */
export type Slope = {
  perMinute: number;
  /** Standard error of `perMinute`; Infinity for fewer than three points. */
  standardError: number;
};

/**
 * Upper bound of the correlation of neighbouring residuals: the correction would be infinite at 1.
 */
const CORRELATION_MAX = 0.95;

/**
 * Returns the slope of the least-squares line through the points. Neighbouring memory samples are
 * correlated, so the standard error is multiplied by `sqrt((1 + r) / (1 - r))`, where `r` is the
 * correlation of neighbouring residuals, as for a first-order autoregression.
 */
export const fitSlope = (points: readonly Point[]): Slope => {
  const count = points.length;
  if (count < 2) return { perMinute: 0, standardError: Infinity };
  const meanMinute = mean(points.map(({ minute }) => minute));
  const meanValue = mean(points.map(({ value }) => value));
  const spread = sum(points.map(({ minute }) => (minute - meanMinute) ** 2));
  const products = points.map(({ minute, value }) => (minute - meanMinute) * (value - meanValue));
  const perMinute = sum(products) / spread;
  if (count < 3) return { perMinute, standardError: Infinity };
  const residuals = points.map(
    ({ minute, value }) => value - meanValue - perMinute * (minute - meanMinute),
  );
  const squares = sum(residuals.map((one) => one ** 2));
  const uncorrectedError = Math.sqrt(squares / (count - 2) / spread);
  return { perMinute, standardError: uncorrectedError * correlationFactor(residuals, squares) };
};

const correlationFactor = (residuals: readonly number[], squares: number): number => {
  if (squares === 0) return 1;
  const products = residuals.slice(1).map((one, index) => one * residuals[index]!);
  const correlation = Math.min(CORRELATION_MAX, Math.max(0, sum(products) / squares));
  return Math.sqrt((1 + correlation) / (1 - correlation));
};

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
