/**
 * Returns the value with each scalar replaced by its type, each list cut to one item, and members
 * sorted by name, because values differ between runs.
 */
export const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, one]) => [name, shapeOf(one)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
};
