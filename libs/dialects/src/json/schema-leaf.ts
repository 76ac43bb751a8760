import type { LeafPath, RequestLeaf } from '../dialect.ts';

/** Keywords whose members are named by the schema's author, each with a schema. */
const NAMED = new Set<unknown>([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
  'dependencies',
]);
/** Keywords that hold schemas. */
const NESTED = new Set<unknown>([
  ...['items', 'prefixItems', 'additionalProperties', 'additionalItems', 'contains'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);
/** Keywords that hold what a value is compared with, or how. */
const FIXED = new Set<unknown>([
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'format', 'pattern'],
  ...['$ref', '$id', 'id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
  ...['contentEncoding', 'contentMediaType', 'discriminator', 'propertyOrdering'],
]);

/** Keywords that hold values, which nothing is compared with. */
const VALUES = new Set<unknown>(['default', 'examples', 'example']);

/** What a leaf of a JSON Schema is, whose root is `path[from - 1]`; a description is text. */
export const toSchemaLeaf = (path: LeafPath, from: number): RequestLeaf => {
  for (let at = from; at < path.length; at += 1) {
    const key = path[at];
    if (NAMED.has(key)) {
      at += 1;
      // It holds names of properties too, in lists.
      if (key === 'dependencies' && typeof path[at + 1] === 'number') return 'fixed';
    } else if (typeof key !== 'number' && !NESTED.has(key)) {
      if (VALUES.has(key)) return 'data';
      return FIXED.has(key) ? 'fixed' : 'text';
    }
  }
  return 'text';
};
