import type { ResponseFormat } from '@witan/contracts';
import { asObject, asText } from '../json/json-value.ts';
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

const SCHEMAS: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'allOf', 'oneOf']);
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
/** Keywords with which Anthropic refuses a schema that it has to enforce. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]);

/**
 * Returns the schema as Anthropic enforces it: every object has `additionalProperties: false`, and
 * constraints that Anthropic refuses, such as `minimum`, are part of the description instead and
 * reported as dropped. Returns undefined, and reports nothing, if an object explicitly allows
 * additional properties.
 */
export const toEnforcedSchema = (
  schema: JsonObject,
  { path, dropped }: { path: string; dropped: DroppedFields },
): JsonObject | undefined => {
  let isOpen = false;
  const unsupported = new Set<string>();
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    const node = asObject(value);
    if (!node) return value;
    isOpen ||= (node.additionalProperties ?? false) !== false;
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
  if (isOpen) return undefined;
  for (const key of unsupported) dropped.add(`${path}.${key}`);
  return enforced;
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
