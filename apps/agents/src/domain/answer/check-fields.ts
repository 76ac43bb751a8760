import type { JsonError, JsonObject } from '@witan/dialects';

/** Field names with a description of each (`responseFormat.fields`). */
export type FieldMap = Readonly<Record<string, string>>;

/**
 * Returns the error of an answer that lacks a requested field, or undefined. Null counts as
 * present; extra fields are ignored. Call it before `popThoughts`: a caller may request a field of
 * that name.
 */
export const checkFields = (object: JsonObject, fields: FieldMap): JsonError | undefined => {
  const names = Object.keys(fields).filter(
    // `__proto__` never parses as an own field, so a retry would not help.
    (name) => name !== '__proto__' && !Object.hasOwn(object, name),
  );
  return names.length === 0 ? undefined : { kind: 'missing-fields', names };
};
