import type { JsonSchema } from '../http/route.ts';

type Members = Readonly<Record<string, JsonSchema>>;

/** An object that has all of these members, may have the optional ones, and has no other. */
export const closedObject = (members: Members, optional: Members = {}): JsonSchema => ({
  type: 'object',
  required: Object.keys(members),
  additionalProperties: false,
  properties: { ...members, ...optional },
});
