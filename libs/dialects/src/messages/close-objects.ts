import type { JsonObject } from '../json/lenient.ts';
import { asObject } from '../json/lenient.ts';

const SCHEMAS: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'allOf', 'oneOf']);
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/**
 * Returns the schema with `additionalProperties: false` in every object, as Anthropic requires of
 * an output schema. Returns undefined if an object explicitly allows additional properties.
 */
export const closeObjects = (schema: JsonObject): JsonObject | undefined => {
  let isOpen = false;
  const closeSchema = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(closeSchema);
    const node = asObject(value);
    if (!node) return value;
    isOpen ||= (node.additionalProperties ?? false) !== false;
    const closedSchema = mapMembers(node, (member, key) => {
      if (SCHEMAS.has(key)) return closeSchema(member);
      const namedSchemas = NAMED.has(key) ? asObject(member) : undefined;
      return namedSchemas ? mapMembers(namedSchemas, closeSchema) : member;
    });
    return isObject(node) ? { ...closedSchema, additionalProperties: false } : closedSchema;
  };
  const closedSchema = closeSchema(schema) as JsonObject;
  return isOpen ? undefined : closedSchema;
};

const isObject = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;

const mapMembers = (
  object: JsonObject,
  map: (value: unknown, key: string) => unknown,
): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
