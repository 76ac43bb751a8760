export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns whether the value is a JSON object, that is, neither null nor an array nor a primitive
 * value.
 */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the members of an object, or no members for any other value, so that checks of missing
 * objects need no special case.
 */
export const toFields = (value: unknown): Fields => (isFields(value) ? value : {});

/** Returns the parsed JSON, or undefined if the text is invalid. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Callers report invalid JSON as a violation.
  }
};
