import type { JsonSchema } from '../http/route.ts';

type Members = Readonly<Record<string, JsonSchema>>;

export const closedObject = (members: Members, optional: Members = {}): JsonSchema => ({
  type: 'object',
  required: Object.keys(members),
  additionalProperties: false,
  properties: { ...members, ...optional },
});
