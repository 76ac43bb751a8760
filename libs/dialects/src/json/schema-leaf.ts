import type { LeafPath, RequestLeaf } from '../dialect.ts';

/** Keywords whose value maps names, which the schema's author chose, to schemas. */
const NAMED = new Set<unknown>([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
  'dependencies',
]);
const NESTED = new Set<unknown>([
  ...['items', 'prefixItems', 'additionalProperties', 'additionalItems', 'contains'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);
/** Keywords whose values are used in validation or identify a schema, so they must not change. */
const FIXED = new Set<unknown>([
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'format', 'pattern'],
  ...['$ref', '$id', 'id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
  ...['contentEncoding', 'contentMediaType', 'discriminator', 'propertyOrdering'],
]);

/** Keywords whose values are arbitrary data that is not used in validation. */
const VALUES = new Set<unknown>(['default', 'examples', 'example']);

/**
 * Classifies a leaf of a JSON Schema. `path[from]` is the first key inside the schema.
 * Descriptions, titles and unknown keywords are text.
 */
export const toSchemaLeaf = (path: LeafPath, from: number): RequestLeaf => {
  for (let index = from; index < path.length; index += 1) {
    const key = path[index];
    if (NAMED.has(key)) {
      index += 1;
      // In older drafts of JSON Schema, `dependencies` may contain lists of property names instead
      // of schemas.
      if (key === 'dependencies' && typeof path[index + 1] === 'number') return 'fixed';
    } else if (typeof key !== 'number' && !NESTED.has(key)) {
      if (VALUES.has(key)) return 'data';
      return FIXED.has(key) ? 'fixed' : 'text';
    }
  }
  return 'text';
};
