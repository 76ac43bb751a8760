import type { JsonObject } from '../dialect.ts';
import { asObject } from '../json/lenient.ts';

const SCHEMAS: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'allOf', 'oneOf']);
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/**
 * Returns the schema with `additionalProperties: false` in every object, as Anthropic requires of
 * an output schema. Returns undefined if an object explicitly allows additional properties.
 */
export const closeObjects = (schema: JsonObject): JsonObject | undefined => {
  let isOpen = false;
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    const node = asObject(value);
    if (!node) return value;
    isOpen ||= (node.additionalProperties ?? false) !== false;
    const closed = mapMembers(node, (member, key) => {
      if (SCHEMAS.has(key)) return close(member);
      const named = NAMED.has(key) ? asObject(member) : undefined;
      return named ? mapMembers(named, close) : member;
    });
    return isObject(node) ? { ...closed, additionalProperties: false } : closed;
  };
  const closed = close(schema) as JsonObject;
  return isOpen ? undefined : closed;
};

const isObject = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;

const mapMembers = (
  object: JsonObject,
  map: (value: unknown, key: string) => unknown,
): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
