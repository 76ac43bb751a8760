/** Returns the middle value, or the mean of the two middle ones. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
};

/**
 * Returns one object for each group of rows with the same key, in the order of measurement. Its
 * numbers are the medians over the group, at any depth; other values are those of the first row.
 */
export const medianRows = <Row extends { round: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Omit<Row, 'round'>[] =>
  [...Map.groupBy(rows, keyOf).values()].map((group) => {
    const { round: _, ...medians } = mergeByMedian(group) as Row;
    return medians;
  });

/** A number that some members lack counts as 0, such as the CPU of a process that had ended. */
const mergeByMedian = (values: readonly unknown[]): unknown => {
  const first = values.find((one) => one !== undefined);
  if (typeof first === 'number') return median(values.map((one) => Number(one ?? 0)));
  if (typeof first !== 'object' || first === null) return first;
  const present = values.filter((one) => one !== undefined) as Record<string, unknown>[];
  return Object.fromEntries(
    [...new Set(present.flatMap(Object.keys))].map((name) => [
      name,
      mergeByMedian(present.map((one) => one[name])),
    ]),
  );
};
