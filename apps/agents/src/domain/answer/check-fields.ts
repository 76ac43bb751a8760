import type { JsonError, JsonObject } from '@witan/dialects';

/** Field names with what should stand in them (`responseFormat.fields`, Seed 2.2). */
export type FieldMap = Readonly<Record<string, string>>;

/**
 * The fault of an answer that lacks a field that was asked for; undefined when every one is there.
 * Null counts as there, and what else the answer has is left alone. Before `popThoughts`, because a
 * caller may ask for a field of that name.
 */
export const checkFields = (object: JsonObject, fields: FieldMap): JsonError | undefined => {
  const names = Object.keys(fields).filter(
    // An answer never has the first: asking again would not help.
    (name) => name !== '__proto__' && !Object.hasOwn(object, name),
  );
  return names.length === 0 ? undefined : { kind: 'missing-fields', names };
};
