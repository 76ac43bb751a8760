import fc from 'fast-check';
import type { LeafPath } from '../src/dialect.ts';
import type { JsonObject } from '../src/json/json-value.ts';

export type StringLeaf = { path: LeafPath; value: string };

export const stringLeaves = (value: unknown, path: LeafPath = []): StringLeaf[] => {
  if (typeof value === 'string') return [{ path, value }];
  if (Array.isArray(value))
    return value.flatMap((item, index) => stringLeaves(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => stringLeaves(member, [...path, key]));
};

/** Returns a line `path: kind` for every string in `value`. */
export const classifyLeaves = (value: unknown, classify: (leaf: StringLeaf) => unknown): string[] =>
  stringLeaves(value).map((leaf) => `${leaf.path.join('.')}: ${String(classify(leaf))}`);

/**
 * Returns the prefix of a test string, for example `T` of `T:text`, or `F` (fixed) if there is
 * none.
 */
export const markOf = ({ value }: StringLeaf): string => /^([A-Z]):/.exec(value)?.[1] ?? 'F';

export const arbitraryBody = (
  keys: readonly string[],
  values: readonly string[],
): fc.Arbitrary<JsonObject> =>
  fc
    .object({
      key: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...keys) }, fc.string()),
      values: [fc.constantFrom(...values), fc.string(), fc.integer(), fc.constant(null)],
      maxDepth: 6,
      maxKeys: 4,
    })
    // Converts the value to JSON and back, as a parsed body would be.
    .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

export const arbitraryPath = (keys: readonly string[]): fc.Arbitrary<LeafPath> =>
  fc.array(fc.oneof(fc.constantFrom(...keys), fc.nat(2), fc.string()), { maxLength: 9 });
