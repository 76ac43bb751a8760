import type { LeafPath } from '../dialect.ts';

export const valueAt = (root: unknown, path: LeafPath, length: number): unknown => {
  let value = root;
  for (let at = 0; at < length; at += 1) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[path[at]!];
  }
  return value;
};
