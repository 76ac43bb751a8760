export type Equation = {
  readonly constant: number;
  /**
   * `growth`, `inflation` and `rate` are the coefficients of these variables in the previous
   * quarter.
   */
  readonly growth: number;
  readonly inflation: number;
  readonly rate: number;
  readonly sd: number;
};

export type Regime = {
  readonly growth: Equation;
  readonly inflation: Equation;
  readonly rate: Equation;
  readonly mean: { readonly growth: number; readonly inflation: number; readonly rate: number };
};

/**
 * `long` is fitted by least squares to US quarters 1959Q2 to 2009Q3 from FRED (real GDP growth, CPI
 * inflation, 3-month bill). `moderation` has the moments of 1984 to 2007, and each variable depends
 * on its own past only.
 */
export const REGIMES = {
  long: {
    growth: { constant: 2.952, growth: 0.293, inflation: -0.099, rate: -0.075, sd: 3.318 },
    inflation: { constant: 0.549, growth: -0.005, inflation: 0.497, rate: 0.276, sd: 2.433 },
    rate: { constant: 0.096, growth: 0.033, inflation: 0.024, rate: 0.942, sd: 0.863 },
    mean: { growth: 3.112292, inflation: 3.804088, rate: 5.000065 },
  },
  moderation: {
    growth: { constant: 2.4101, growth: 0.23, inflation: 0, rate: 0, sd: 1.985307 },
    inflation: { constant: 2.867, growth: 0, inflation: 0.06, rate: 0, sd: 1.746847 },
    rate: { constant: 0.2435, growth: 0, inflation: 0, rate: 0.95, sd: 0.658846 },
    mean: { growth: 3.13, inflation: 3.05, rate: 4.87 },
  },
} as const satisfies Record<string, Regime>;

export type RegimeName = keyof typeof REGIMES;

/** Correlations between the residuals of growth, inflation and interest rate, for both regimes. */
const [GROWTH_INFLATION, GROWTH_RATE, INFLATION_RATE] = [0.07, 0.26, 0.4] as const;

/**
 * Cholesky factor of the correlations: correlated residuals are this factor times independent
 * normal draws.
 */
export const INFLATION_ON_GROWTH = GROWTH_INFLATION;
export const INFLATION_ALONE = Math.sqrt(1 - GROWTH_INFLATION * GROWTH_INFLATION);
export const RATE_ON_GROWTH = GROWTH_RATE;
export const RATE_ON_INFLATION =
  (INFLATION_RATE - GROWTH_INFLATION * GROWTH_RATE) / INFLATION_ALONE;
export const RATE_ALONE = Math.sqrt(
  1 - RATE_ON_GROWTH * RATE_ON_GROWTH - RATE_ON_INFLATION * RATE_ON_INFLATION,
);

/**
 * Mean and variance of the effect of recessions on annual GDP growth, in percentage points: with
 * the hazard in `event-catalogue.ts` (0.03 per quarter) a recession begins in 2.9 % of quarters and
 * lowers growth by 4 points in its first quarter and 2 in its second. The fitted residuals already
 * include recessions, so the mean is subtracted from the growth shock and the variance from the
 * residual's variance.
 */
export const RECESSION_MEAN = -0.1748;
export const RECESSION_VARIANCE = 0.5517;
