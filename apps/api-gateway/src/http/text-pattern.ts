/** A text that the database takes: without NUL. */
export const PLAIN_TEXT = '^[^\\u0000]*$';

/** The same of a text that says something. Each reads a text once, whatever it holds. */
export const NON_BLANK_TEXT = '^\\s*[^\\s\\u0000][^\\u0000]*$';

/**
 * The same two without halves of characters, of names and what is kept under them: between
 * services those become U+FFFD, and what comes back would be another text.
 */
export const EXACT_TEXT = '^[^\\u0000\\p{Cs}]*$';
export const EXACT_NON_BLANK_TEXT = '^\\s*[^\\s\\u0000\\p{Cs}][^\\u0000\\p{Cs}]*$';

/** A name on one line: something to read, and no control characters. */
export const LABEL_TEXT = '^[^\\p{Cc}]*[^\\s\\p{Cc}][^\\p{Cc}]*$';

/** A name of a function that every provider takes. */
export const FUNCTION_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';

/** A name of a provider, as it stands in settings and certificates. */
export const PROVIDER_NAME = '^[a-z][a-z0-9-]{0,31}$';

/** What may be the id of a workspace. */
export const WORKSPACE_ID = '^[A-Za-z0-9_-]{1,64}$';

const EMPTY = 'must not be empty';

const describeText = (text: string): string => {
  if (text.trim() === '') return EMPTY;
  if (text.includes('\0')) return 'must not hold the character NUL';
  return 'must not hold half of a character (a lone surrogate)';
};

/** What is wrong with a text that does not have the form; one sentence a pattern. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  [PLAIN_TEXT]: describeText,
  [NON_BLANK_TEXT]: describeText,
  [EXACT_TEXT]: describeText,
  [EXACT_NON_BLANK_TEXT]: describeText,
  [LABEL_TEXT]: (text) => (text.trim() === '' ? EMPTY : 'must not hold control characters'),
  [FUNCTION_NAME]: () =>
    'must be 1 to 64 letters, digits and underscores, and must not begin with a digit',
  [PROVIDER_NAME]: () =>
    'must be 1 to 32 lower-case letters, digits and dashes, and begin with a letter',
  [WORKSPACE_ID]: () => 'must be the id of a workspace',
};

/** Says what is wrong with a text that does not match a pattern. */
export const describeForm = (pattern: string, text: string): string =>
  FORMS[pattern]?.(text) ?? 'does not have the form that is documented';
