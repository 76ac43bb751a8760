import type { LeafPath } from '../dialect.ts';

/** Returns the value at the first `length` steps of a path; undefined if absent. */
export const valueAt = (root: unknown, path: LeafPath, length: number): unknown => {
  let value = root;
  for (let at = 0; at < length; at += 1) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[path[at]!];
  }
  return value;
};
