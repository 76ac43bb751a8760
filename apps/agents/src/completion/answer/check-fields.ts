import type { JsonError, JsonObject } from '@witan/dialects';

export type FieldDescriptions = Readonly<Record<string, string>>;

/**
 * Returns an error if an answer lacks requested fields, otherwise undefined. Null counts as
 * present. Must run before `popThoughts`, which removes a field `thoughts` that the caller may have
 * requested.
 */
export const checkFields = (
  object: JsonObject,
  fields: FieldDescriptions,
): JsonError | undefined => {
  const names = Object.keys(fields).filter(
    // `readJsonAnswer` removes `__proto__`, so a retry could not add that field.
    (name) => name !== '__proto__' && !Object.hasOwn(object, name),
  );
  return names.length === 0 ? undefined : { kind: 'missing-fields', names };
};
