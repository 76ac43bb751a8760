/** A JSON Schema of draft 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the schema of an object with exactly these members, all required except those in
 * `optional`.
 */
export const exactly = (
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties: { ...properties, ...optional },
});

/**
 * Returns the schema of a union that is discriminated by `type`, so that errors refer to the
 * matching shape only.
 */
export const byType = (...shapes: readonly Schema[]): Schema => ({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: shapes,
});

export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

export const TEXT: Schema = { type: 'string' };
/** Non-empty text, such as an id, a name or a message. */
export const NON_EMPTY_TEXT: Schema = { type: 'string', minLength: 1 };
export const COUNT: Schema = { type: 'integer', minimum: 0 };
export const NULL: Schema = { type: 'null' };
/** An object of any members. */
export const ANY_OBJECT: Schema = { type: 'object' };
