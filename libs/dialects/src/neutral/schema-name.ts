/** The name of a schema that has none: the messages dialect has no place for it, OpenAI asks. */
export const SCHEMA_NAME = 'answer';
