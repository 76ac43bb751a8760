/** Rounds to four decimals, which hides rounding errors of sums; never returns -0. */
export const roundScore = (value: number): number => Math.round(value * 10_000) / 10_000 + 0;
