export type Interval = {
  readonly probability: number;
  readonly low: number;
  readonly high: number;
};

const Z = 1.959964;

/** Returns `hits` as a share of `runs` with its 95 % confidence interval (Wilson 1927). */
export const wilsonInterval = (hits: number, runs: number): Interval => {
  const share = hits / runs;
  const z2 = Z * Z;
  const middle = (share + z2 / (2 * runs)) / (1 + z2 / runs);
  const spread = Math.sqrt((share * (1 - share)) / runs + z2 / (4 * runs * runs));
  const half = (Z * spread) / (1 + z2 / runs);
  return {
    probability: share,
    low: hits === 0 ? 0 : Math.max(0, middle - half),
    high: hits === runs ? 1 : Math.min(1, middle + half),
  };
};
