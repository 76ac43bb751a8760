export type Weighted = { readonly value: number; readonly weight: number };

/**
 * Returns the value that splits the total weight in half, or the mean of two such values. `items`
 * must not be empty; their order does not matter.
 */
export const weightedMedian = (items: readonly Weighted[]): number => {
  const sorted = items.toSorted((a, b) => a.value - b.value || a.weight - b.weight);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let below = 0;
  for (const [index, { value, weight }] of sorted.entries()) {
    below += weight;
    const next = sorted[index + 1];
    if (Math.abs(below - half) <= half * 1e-12 && next) return (value + next.value) / 2;
    if (below > half) return value;
  }
  return sorted.at(-1)!.value;
};
