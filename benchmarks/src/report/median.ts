/** Returns the middle value, or the mean of the two middle ones. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
};

/** Returns the median by name over all benchmark rounds, for the names in the first round. */
export const medianByName = (
  rounds: readonly Readonly<Record<string, number>>[],
): Record<string, number> =>
  Object.fromEntries(
    Object.keys(rounds[0]!).map((name) => [name, median(rounds.map((one) => one[name] ?? 0))]),
  );
