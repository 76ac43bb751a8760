import type { LeafPath } from '../dialect.ts';

export const valueAt = (root: unknown, path: LeafPath, length: number): unknown => {
  let value = root;
  for (let index = 0; index < length; index += 1) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[path[index]!];
  }
  return value;
};
