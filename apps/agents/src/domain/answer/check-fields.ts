import type { JsonError, JsonObject } from '@witan/dialects';

export type FieldDescriptions = Readonly<Record<string, string>>;

/**
 * Returns an error if an answer lacks requested fields, otherwise undefined. Null counts as
 * present. Must run before `popThoughts`, because a caller may request a field named `thoughts`.
 */
export const checkFields = (
  object: JsonObject,
  fields: FieldDescriptions,
): JsonError | undefined => {
  const names = Object.keys(fields).filter(
    // JSON parsing never creates an own field `__proto__`, so a retry would not help.
    (name) => name !== '__proto__' && !Object.hasOwn(object, name),
  );
  return names.length === 0 ? undefined : { kind: 'missing-fields', names };
};
