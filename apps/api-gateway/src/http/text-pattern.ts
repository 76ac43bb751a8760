/** Pattern of any text without NUL, which PostgreSQL does not accept. */
export const PLAIN_TEXT = '^[^\\u0000]*$';

/**
 * Pattern of a text without NUL that does not consist of white space only. Matches in linear time.
 */
export const NON_BLANK_TEXT = '^\\s*[^\\s\\u0000][^\\u0000]*$';

/**
 * Pattern of names and keys without NUL and lone surrogates. gRPC replaces a lone surrogate with
 * U+FFFD, so another text than the client's would be stored.
 */
export const EXACT_TEXT = '^[^\\u0000\\p{Cs}]*$';
export const EXACT_NON_BLANK_TEXT = '^\\s*[^\\s\\u0000\\p{Cs}][^\\u0000\\p{Cs}]*$';

/**
 * Pattern of a name without control characters that does not consist of white space only. Matches
 * in linear time.
 */
export const LABEL_TEXT = '^[^\\S\\p{Cc}]*[^\\s\\p{Cc}][^\\p{Cc}]*$';

export const FUNCTION_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';

export const PROVIDER_NAME = '^[a-z][a-z0-9-]{0,31}$';

export const WORKSPACE_ID = '^[A-Za-z0-9_-]{1,64}$';

const EMPTY = 'must not be empty';

const describeText = (text: string): string => {
  if (text.trim() === '') return EMPTY;
  if (text.includes('\0')) return 'must not hold the character NUL';
  return 'must not hold half of a character (a lone surrogate)';
};

const PATTERN_ERRORS: Readonly<Record<string, (text: string) => string>> = {
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

export const describePatternError = (pattern: string, text: string): string =>
  PATTERN_ERRORS[pattern]?.(text) ?? 'does not have the form that is documented';
