/** A text that the database takes: without NUL. */
export const PLAIN_TEXT = '^[^\\u0000]*$';

/** The same of a text that says something. Both parts read it once, whatever it holds. */
export const TELLING_TEXT = '^(?=\\s*\\S)[^\\u0000]*$';
