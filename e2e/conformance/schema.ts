/** A JSON Schema of draft 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

/** An object with just these members; all are required but those named in `optional`. */
export const exactly = (
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties: { ...properties, ...optional },
});

/** One of these shapes, told apart by their `type`: only the faults of the meant one are shown. */
export const byType = (...shapes: readonly Schema[]): Schema => ({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: shapes,
});

/** The schema, or null. */
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

export const TEXT: Schema = { type: 'string' };
/** Text that says something: ids, names, messages. */
export const WORDS: Schema = { type: 'string', minLength: 1 };
export const COUNT: Schema = { type: 'integer', minimum: 0 };
export const NULL: Schema = { type: 'null' };
/** An object whose members are somebody else's. */
export const ANY_OBJECT: Schema = { type: 'object' };
