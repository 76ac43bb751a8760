/**
 * Returns a copy of `base` with `extra` merged in at every depth: objects by key, arrays by index;
 * other values are replaced. Tests use it to add unknown fields.
 */
export function mergeDeep(base: unknown, extra: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(extra)) {
    const length = Math.max(base.length, extra.length);
    return Array.from({ length }, (_, index) =>
      index in extra ? mergeDeep(base[index], extra[index]) : base[index],
    );
  }
  if (!isPlainObject(base) || !isPlainObject(extra)) return extra === undefined ? base : extra;
  const added = Object.entries(extra).map(([key, value]) => [key, mergeDeep(base[key], value)]);
  return { ...base, ...Object.fromEntries(added) };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
