/**
 * Name of a schema that has none: OpenAI requires one, and the messages dialect has no member for
 * it.
 */
export const SCHEMA_NAME = 'answer';
