import type { LeafPath, RequestLeaf } from '../dialect.ts';

/** Keywords whose members are named by the schema's author, each with a schema. */
const NAMED = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords that hold schemas. */
const NESTED = new Set([
  ...['items', 'prefixItems', 'additionalProperties', 'additionalItems', 'contains'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]);
/** Keywords that hold what a value is compared with, or how. */
const FIXED = new Set([
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'format', 'pattern'],
  ...['$ref', '$id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor', 'discriminator'],
  ...['contentEncoding', 'contentMediaType'],
]);

/**
 * What a string leaf of a JSON Schema is, whose root is `path[from - 1]`: descriptions, defaults
 * and examples are text.
 */
export const toSchemaLeaf = (path: LeafPath, from: number): RequestLeaf => {
  for (let at = from; at < path.length; at += 1) {
    const key = path[at]!;
    if (typeof key === 'number' || NESTED.has(key)) continue;
    if (!NAMED.has(key)) return FIXED.has(key) ? 'fixed' : 'text';
    at += 1;
  }
  return 'text';
};
