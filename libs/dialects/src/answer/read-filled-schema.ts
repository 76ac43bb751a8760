import { asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/**
 * Returns the members of an answer that small models write into a copy of the requested schema:
 * `{"type":"object","properties":{"content":"Yes."}}`. Returns the answer itself if it is no such
 * copy, and undefined for a copy without any value.
 */
export const readFilledSchema = (answer: JsonObject, schema: JsonObject): JsonObject | undefined =>
  isCopy(answer, schema) ? asObject(readValue(answer, schema)) : answer;

/** Returns whether an object has `properties`, which the schema does not describe as a member. */
const isCopy = (node: JsonObject, { properties }: JsonObject): boolean =>
  asObject(node.properties) !== undefined && !('properties' in (asObject(properties) ?? {}));

/** Members of a schema that the model may put values into, in the order in which they are read. */
const VALUES = ['value', 'const', 'description'];

/** Returns the value at a node; undefined for a node of the schema without a value. */
const readValue = (answer: unknown, schema: JsonObject): unknown => {
  const node = asObject(answer);
  const properties = asObject(schema.properties);
  const items = asObject(schema.items);
  if (!node) return items && Array.isArray(answer) ? readItems(answer, items) : answer;
  if (properties) {
    if (!isCopy(node, schema)) return readMembers(node, properties);
    const wrapped = asObject(node.properties);
    // Members that the model closed too late stand beside `properties`.
    const beside = Object.keys(properties).filter((name) => name in node && name !== 'type');
    const members = { ...wrapped, ...Object.fromEntries(beside.map((name) => [name, node[name]])) };
    const read = readMembers(members, properties);
    return Object.keys(read).length > 0 ? read : undefined;
  }
  if (!isSchemaNode(node, schema)) return answer;
  const name = VALUES.find(
    (one) => one in node && JSON.stringify(node[one]) !== JSON.stringify(schema[one]),
  );
  return name === undefined ? undefined : node[name];
};

const readMembers = (members: JsonObject, properties: JsonObject): JsonObject => {
  const read = Object.entries(members).map(([name, member]): [string, unknown] => {
    const schema = Object.hasOwn(properties, name) ? asObject(properties[name]) : undefined;
    return [name, schema ? readValue(member, schema) : member];
  });
  return Object.fromEntries(read.filter(([, member]) => member !== undefined));
};

const readItems = (list: readonly unknown[], items: JsonObject): unknown[] =>
  list.map((item) => readValue(item, items)).filter((item) => item !== undefined);

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'items', 'enum', 'title', 'required', 'properties', 'additionalProperties'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'pattern', 'format', 'default'],
  ...VALUES,
]);

/** Returns whether an object stands where the schema requires another type, and is a schema. */
const isSchemaNode = (node: JsonObject, { type }: JsonObject): boolean => {
  const allowsObject = type !== undefined && [type].flat().includes('object');
  const names = Object.keys(node);
  return !allowsObject && names.length > 0 && names.every((name) => KEYWORDS.has(name));
};
