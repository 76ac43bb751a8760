/** A JSON Schema, draft 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the schema of an object that may have only these members; all are required except those
 * of `optional`.
 */
export const exactObject = (
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties: { ...properties, ...optional },
});

/**
 * Returns the schema of a union that is discriminated by `type`, so that validation errors refer
 * only to the shape with the matching `type`.
 */
export const unionByType = (...shapes: readonly Schema[]): Schema => ({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: shapes,
});

export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

export const TEXT: Schema = { type: 'string' };
export const NON_EMPTY_TEXT: Schema = { type: 'string', minLength: 1 };
export const COUNT: Schema = { type: 'integer', minimum: 0 };
export const NULL: Schema = { type: 'null' };
/** An object with any members. */
export const ANY_OBJECT: Schema = { type: 'object' };
