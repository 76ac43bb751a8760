import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** Depths at which an unknown member is added; the root is depth 1. */
const DEPTHS = [1, 2, 3, 4, 5] as const;

const unknownName = fc
  .oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 6 }))
  .map((suffix) => `x_${suffix}`);

const unknownValue = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;

type Addition = { depth: number; pickIndex: number; name: string; value: Json };

const addition = (depth: number): fc.Arbitrary<Addition> =>
  fc.record({
    depth: fc.constant(depth),
    pickIndex: fc.nat(),
    name: unknownName,
    value: unknownValue,
  });

/**
 * Generates copies of `body` with one unknown member at each depth from 1 to 5. If `body` has no
 * object at a depth, an added member contains one.
 */
export const withUnknownMembers = (body: JsonObject): fc.Arbitrary<JsonObject> =>
  fc.tuple(...DEPTHS.map(addition)).map((additions) => {
    const copy = structuredClone(body);
    for (const one of additions) addMember(copy, one);
    return copy;
  });

const addMember = (root: JsonObject, { depth, pickIndex, name, value }: Addition): void => {
  const targets = objectsAt(root, depth);
  const target = targets[pickIndex % Math.max(1, targets.length)];
  if (target) target[name] = value;
  else addMember(root, { depth: depth - 1, pickIndex, name, value: { [name]: value } });
};

const objectsAt = (node: Json, depth: number): JsonObject[] => {
  if (Array.isArray(node)) return node.flatMap((child) => objectsAt(child, depth));
  if (typeof node !== 'object' || node === null) return [];
  if (depth === 1) return [node];
  return Object.values(node).flatMap((child) => objectsAt(child, depth - 1));
};

/** Generates random divisions of `bytes` into at most 41 consecutive pieces. */
export const arbitraryPieces = (bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 })
    .map((cutPositions) => {
      const ends = [...cutPositions.toSorted((one, other) => one - other), bytes.length];
      return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
    });
