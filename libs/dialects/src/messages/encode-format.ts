import type { ResponseFormat } from '@witan/contracts';
import { asList, asObject, asText, isAbsent } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { SCHEMA_NAME } from '../neutral/is-openai-strict-schema.ts';
import { parseObjectAt } from './encode-turns.ts';

/**
 * The encoded response format: `output_config.format`, or an instruction for the system prompt, or
 * neither for plain text.
 */
export type EncodedFormat = { format?: JsonObject; instruction?: string };

/** Instruction for JSON without a schema; this dialect has no such mode. */
const JSON_INSTRUCTION = 'Answer with one valid JSON object and nothing else.';
const SCHEMA_INSTRUCTION =
  'Answer with one valid JSON value that fits this JSON Schema, and nothing else:';

const PATH = 'response_format.json_schema';

/**
 * Encodes the response format. Providers enforce only schemas with closed objects; other schemas
 * become an instruction and are reported as dropped. Throws INVALID_REQUEST for a schema that is
 * not an object.
 */
export const encodeFormat = (
  responseFormat: ResponseFormat | undefined,
  dropped: DroppedFields,
): EncodedFormat => {
  if (responseFormat?.kind === 'json_object') return { instruction: JSON_INSTRUCTION };
  if (responseFormat?.kind !== 'json_schema') return {};
  const { name, description, schema: schemaText, strict } = responseFormat;
  if (name !== '' && name !== SCHEMA_NAME) dropped.add(`${PATH}.name`);
  if (description !== '') dropped.add(`${PATH}.description`);
  if (strict === false) dropped.add(`${PATH}.strict`);
  const path = `${PATH}.schema`;
  const schema = toEnforcedSchema(parseObjectAt(schemaText, path), { path, dropped });
  if (schema) return { format: { type: 'json_schema', schema } };
  dropped.add(path);
  return { instruction: `${SCHEMA_INSTRUCTION}\n${schemaText}` };
};

const ITEMS = ['items', 'prefixItems'];
/** Keywords whose schemas describe the same value as the schema that contains them. */
const COMBINATORS = ['anyOf', 'allOf', 'oneOf'];
const SCHEMAS: ReadonlySet<string> = new Set([...ITEMS, ...COMBINATORS]);
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Keywords with which Anthropic refuses a schema that it has to enforce. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]);

/**
 * Returns the schema as Anthropic enforces it: every object has `additionalProperties: false`, and
 * constraints that Anthropic refuses, such as `minimum`, are part of the description instead and
 * reported as dropped. Returns undefined, and reports nothing, for a schema with objects that
 * cannot be closed.
 */
export const toEnforcedSchema = (
  schema: JsonObject,
  { path, dropped }: { path: string; dropped: DroppedFields },
): JsonObject | undefined => {
  if (isOpen(schema)) return undefined;
  const unsupported = new Set<string>();
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    const node = asObject(value);
    if (!node) return value;
    const isConstraint = ([key]: [string, unknown]): boolean => isUnsupported(key, node[key]);
    const constraints = Object.entries(node).filter(isConstraint);
    for (const [key] of constraints) unsupported.add(key);
    const others = Object.entries(node).filter((member) => !isConstraint(member));
    const converted = mapMembers(Object.fromEntries(others), (member, key) => {
      if (SCHEMAS.has(key)) return convert(member);
      const namedSchemas = NAMED.has(key) ? asObject(member) : undefined;
      return namedSchemas ? mapMembers(namedSchemas, convert) : member;
    });
    if (isObject(node)) converted.additionalProperties = false;
    if (constraints.length > 0) {
      const text = JSON.stringify(Object.fromEntries(constraints));
      converted.description = [asText(node.description), text].filter(Boolean).join('\n\n');
    }
    return converted;
  };
  const enforced = convert(schema) as JsonObject;
  for (const key of unsupported) dropped.add(`${path}.${key}`);
  return enforced;
};

/**
 * Returns whether the schema has an object that `additionalProperties: false` would change: one
 * that allows additional properties, names no properties, or is described by further schemas, whose
 * properties it would then exclude. `isCombined` says that there are such schemas outside of
 * `schema`.
 */
const isOpen = (schema: unknown, isCombined = false): boolean => {
  if (Array.isArray(schema)) return schema.some((item) => isOpen(item, isCombined));
  const node = asObject(schema);
  if (!node) return false;
  if ((node.additionalProperties ?? false) !== false) return true;
  const hasReference = '$ref' in node;
  if (hasReference && isCombined) return true;
  if (isObject(node) && isAbsent(node.additionalProperties)) {
    const isShared = isCombined || hasReference || combinedSchemas(node).some(describesObject);
    if (isShared || node.properties === undefined) return true;
  }
  const isAllCombined = asList(node.allOf).filter(describesObject).length > 1;
  return (
    ITEMS.some((key) => isOpen(node[key])) ||
    [...NAMED].some((key) => isOpen(Object.values(asObject(node[key]) ?? {}))) ||
    COMBINATORS.some((key) =>
      isOpen(node[key], isCombined || isObject(node) || (key === 'allOf' && isAllCombined)),
    )
  );
};

const combinedSchemas = (node: JsonObject): unknown[] =>
  COMBINATORS.flatMap((key) => asList(node[key]));

const describesObject = (schema: unknown): boolean => {
  const node = asObject(schema);
  if (!node) return false;
  return isObject(node) || '$ref' in node || combinedSchemas(node).some(describesObject);
};

const isUnsupported = (key: string, value: unknown): boolean =>
  UNSUPPORTED.has(key) || (key === 'minItems' && value !== 0 && value !== 1);

const isObject = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;

const mapMembers = (
  object: JsonObject,
  map: (value: unknown, key: string) => unknown,
): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
