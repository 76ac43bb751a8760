/** A text that the database takes: without NUL. */
export const PLAIN_TEXT = '^[^\\u0000]*$';

/** The same of a text that says something. Both parts read it once, whatever it holds. */
export const TELLING_TEXT = '^(?=\\s*\\S)[^\\u0000]*$';

/**
 * The same two without halves of characters, of names and what is kept under them: between
 * services those become U+FFFD, and what comes back would be another text.
 */
export const EXACT_TEXT = '^[^\\u0000\\p{Cs}]*$';
export const EXACT_TELLING_TEXT = '^(?=\\s*\\S)[^\\u0000\\p{Cs}]*$';
