import type { JsonSchema } from '../http/route.ts';

type Members = Readonly<Record<string, JsonSchema>>;

/** Returns the schema of an object with these required and optional members and no others. */
export const closedObject = (members: Members, optional: Members = {}): JsonSchema => ({
  type: 'object',
  required: Object.keys(members),
  additionalProperties: false,
  properties: { ...members, ...optional },
});
