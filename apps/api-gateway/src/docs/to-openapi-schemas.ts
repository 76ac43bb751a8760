import type { JsonSchema, Route } from '../http/route.ts';

type NamedSchemas = {
  refer: (schema: JsonSchema) => JsonSchema;
  schemas: () => Readonly<Record<string, JsonSchema>>;
};

export const nameSchemas = (
  routes: readonly Route[],
  names: ReadonlyMap<JsonSchema, string>,
): NamedSchemas => {
  const all = new Map([...namesByOperation(routes), ...names]);
  const referenced = new Map<string, JsonSchema>();
  const refer = (schema: JsonSchema): JsonSchema => {
    const name = all.get(schema);
    if (name === undefined) return referWithin(schema, refer);
    if (!referenced.has(name)) {
      referenced.set(name, schema);
      referenced.set(name, referWithin(schema, refer));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  return {
    refer,
    schemas: () =>
      Object.fromEntries([...referenced].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
};

const namesByOperation = (routes: readonly Route[]): Map<JsonSchema, string> => {
  const found = new Map<JsonSchema, string>();
  for (const { id, body, responses } of routes) {
    const baseName = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
    if (body && !found.has(body)) found.set(body, `${baseName}Request`);
    for (const [status, { schema, contentType }] of Object.entries(responses)) {
      const isJsonSuccess = status.startsWith('2') && contentType === undefined;
      if (schema && isJsonSuccess && !found.has(schema)) found.set(schema, `${baseName}Answer`);
    }
  }
  return found;
};

/** JSON Schema keywords whose values may be arrays or objects but are not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'examples', 'required', 'type']);

const referWithin = (schema: JsonSchema, refer: NamedSchemas['refer']): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (VALUES.has(keyword)) return [keyword, value];
      if (keyword === 'properties') return [keyword, mapValues(value as JsonSchema, refer)];
      if (Array.isArray(value)) return [keyword, value.map((item) => refer(item as JsonSchema))];
      return [keyword, isSchema(value) ? refer(value) : value];
    }),
  );

const mapValues = (members: JsonSchema, refer: NamedSchemas['refer']): JsonSchema =>
  Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, refer(member as JsonSchema)]),
  );

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null;
