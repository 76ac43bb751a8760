import type { JsonObject } from '../dialect.ts';
import { asObject } from '../json/lenient.ts';

/** Keywords that hold a schema, or a list of them. */
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'prefixItems', 'anyOf', 'allOf', 'oneOf']);
/** Keywords that hold schemas by names of the caller's own. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/**
 * A JSON Schema in which every object says `additionalProperties: false`, which Anthropic asks of
 * the schema of an answer; undefined when one of them says otherwise.
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
