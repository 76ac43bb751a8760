/**
 * Default name of a schema. OpenAI requires a name, but the messages dialect has no member for it.
 */
export const SCHEMA_NAME = 'answer';
