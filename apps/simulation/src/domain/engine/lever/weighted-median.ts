/** A value, and how much it counts; weights are greater than 0. */
export type Weighted = { readonly value: number; readonly weight: number };

/**
 * The value with half of the weight on either side; between two of them where it falls so. No order
 * of the input matters. At least one.
 */
export const weightedMedian = (items: readonly Weighted[]): number => {
  const sorted = items.toSorted((a, b) => a.value - b.value || a.weight - b.weight);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let below = 0;
  for (const [place, { value, weight }] of sorted.entries()) {
    below += weight;
    const next = sorted[place + 1];
    if (Math.abs(below - half) <= half * 1e-12 && next) return (value + next.value) / 2;
    if (below > half) return value;
  }
  return sorted.at(-1)!.value;
};
