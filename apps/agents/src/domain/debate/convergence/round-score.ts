/** To four decimals, so that the last bits of a sum are nobody's; never minus zero. */
export const roundScore = (value: number): number => Math.round(value * 10_000) / 10_000 + 0;
