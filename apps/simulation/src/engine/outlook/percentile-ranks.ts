export type PercentileRanks = {
  readonly rank: number;
  /**
   * The true percentile is between the draws with the ranks `low` and `high` with 95 % confidence.
   */
  readonly low: number;
  readonly high: number;
};

const TAIL = 0.025;

/**
 * Returns the rank of `percentile` among `runs` sorted draws, and the ranks of its confidence
 * interval, which follow from the number of draws below the true percentile being binomial. If
 * there are too few draws for a bound, it is the first or last rank, and the confidence is lower.
 */
export const percentileRanks = (percentile: number, runs: number): PercentileRanks => {
  const below = binomial(runs, percentile);
  let low = 0;
  for (let mass = below[0]!; mass <= TAIL; mass += below[low]!) low += 1;
  let highRank = runs;
  for (let mass = below[runs]!; mass <= TAIL; mass += below[highRank]!) highRank -= 1;
  return {
    rank: Math.max(1, Math.ceil(percentile * runs)),
    low: Math.max(1, low),
    high: Math.min(runs, highRank + 1),
  };
};

/**
 * Returns the binomial probability of each number of hits in `runs`. Starts at the likeliest
 * number, so that no factorial is needed, and uses + - × ÷ only, so that results are equal on every
 * machine.
 */
const binomial = (runs: number, percentile: number): Float64Array => {
  const chances = new Float64Array(runs + 1);
  const odds = percentile / (1 - percentile);
  const middle = Math.min(runs, Math.floor((runs + 1) * percentile));
  chances[middle] = 1;
  for (let hits = middle; hits < runs; hits += 1) {
    chances[hits + 1] = (chances[hits]! * odds * (runs - hits)) / (hits + 1);
  }
  for (let hits = middle; hits > 0; hits -= 1) {
    chances[hits - 1] = (chances[hits]! * hits) / (odds * (runs - hits + 1));
  }
  const sum = chances.reduce((total, item) => total + item, 0);
  return chances.map((item) => item / sum);
};

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
