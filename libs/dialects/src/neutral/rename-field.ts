import { isServiceError, ServiceError } from '@witan/contracts';

/** Patterns of field paths and what replaces the match; all rows apply, in order. */
export type FieldNames = readonly (readonly [pattern: RegExp, name: string])[];

/** Creates a function that returns the path of a field under another name. */
export const createFieldNamer =
  (names: FieldNames) =>
  (path: string): string =>
    names.reduce((renamed, [pattern, name]) => renamed.replace(pattern, name), path);

/**
 * Returns the result of `encode`. If it throws an error that names a field, throws that error with
 * the field's path renamed, in the message too.
 */
export const renamingFields = <Result>(
  encode: () => Result,
  nameField: (path: string) => string,
): Result => {
  try {
    return encode();
  } catch (error) {
    const param = isServiceError(error) ? error.fields.param : undefined;
    if (!isServiceError(error) || param === undefined) throw error;
    const name = nameField(param);
    throw new ServiceError(
      error.reason,
      error.message.replace(param, () => name),
      {
        cause: error.cause,
        fields: { ...error.fields, param: name },
      },
    );
  }
};
