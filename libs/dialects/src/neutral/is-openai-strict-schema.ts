import { asList, asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

const KEYWORDS: ReadonlySet<string> = new Set([
  '$defs',
  '$schema',
  'additionalProperties',
  'anyOf',
  'const',
  'definitions',
  'description',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'items',
  'maxItems',
  'maximum',
  'minItems',
  'minimum',
  'multipleOf',
  'pattern',
  'properties',
  'required',
  'title',
  'type',
]);
const FORMATS: ReadonlySet<unknown> = new Set([
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'time',
  'uuid',
]);
const MAX_DEPTH = 10;

/**
 * Returns whether OpenAI accepts a JSON Schema as `strict`: an object with supported keywords only,
 * in which every object requires all its properties and allows no others. OpenAI refuses calls with
 * any other schema as strict, so false is returned in case of doubt.
 */
export const isOpenaiStrictSchema = (schema: unknown): boolean => {
  const root = asObject(schema);
  return root?.type === 'object' && root.anyOf === undefined && isStrict(root, 1);
};

const isStrict = (schema: unknown, depth: number): boolean => {
  const node = asObject(schema);
  if (!node || depth > MAX_DEPTH) return false;
  const keys = Object.keys(node);
  if ('$ref' in node) return keys.length === 1 && /^#/.test(String(node.$ref));
  return (
    keys.every((key) => KEYWORDS.has(key)) &&
    (node.format === undefined || FORMATS.has(node.format)) &&
    isTypeComplete(node) &&
    nestedSchemas(node).every((child) => isStrict(child, depth + 1))
  );
};

const isTypeComplete = (node: JsonObject): boolean => {
  const types = Array.isArray(node.type) ? node.type : [node.type];
  if (node.type === undefined) return node.anyOf !== undefined;
  if (types.includes('array') && node.items === undefined) return false;
  return node.properties || types.includes('object') ? isClosed(node) : true;
};

const isClosed = ({ properties, required, additionalProperties }: JsonObject): boolean => {
  const names = new Set(asList(required));
  return (
    additionalProperties === false &&
    Object.keys(asObject(properties) ?? {}).every((name) => names.has(name))
  );
};

const nestedSchemas = ({ properties, $defs, definitions, items, anyOf }: JsonObject): unknown[] => [
  ...[properties, $defs, definitions].flatMap((named) =>
    named === undefined ? [] : Object.values(asObject(named) ?? { none: undefined }),
  ),
  ...(items === undefined ? [] : [items]),
  ...(anyOf === undefined || Array.isArray(anyOf) ? asList(anyOf) : [undefined]),
];

/**
 * Default name of a schema. OpenAI requires a name, but the messages dialect has no member for it.
 */
export const SCHEMA_NAME = 'answer';
