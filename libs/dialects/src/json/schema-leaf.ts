import type { LeafPath, RequestLeaf } from '../dialect.ts';

/** Keywords whose members are schemas under names that the author chose. */
const NAMED = new Set<unknown>([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
  'dependencies',
]);
const NESTED = new Set<unknown>([
  ...['items', 'prefixItems', 'additionalProperties', 'additionalItems', 'contains'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);
/** Keywords whose values take part in validation or identify a schema. */
const FIXED = new Set<unknown>([
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'format', 'pattern'],
  ...['$ref', '$id', 'id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
  ...['contentEncoding', 'contentMediaType', 'discriminator', 'propertyOrdering'],
]);

/** Keywords with values that do not take part in validation. */
const VALUES = new Set<unknown>(['default', 'examples', 'example']);

/** Classifies a leaf of the JSON Schema whose first key is `path[from]`. Descriptions are text. */
export const toSchemaLeaf = (path: LeafPath, from: number): RequestLeaf => {
  for (let at = from; at < path.length; at += 1) {
    const key = path[at];
    if (NAMED.has(key)) {
      at += 1;
      // `dependencies` may contain lists of property names instead of schemas.
      if (key === 'dependencies' && typeof path[at + 1] === 'number') return 'fixed';
    } else if (typeof key !== 'number' && !NESTED.has(key)) {
      if (VALUES.has(key)) return 'data';
      return FIXED.has(key) ? 'fixed' : 'text';
    }
  }
  return 'text';
};
