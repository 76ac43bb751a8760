export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the members of an object, or no members for any other value, so that checks of missing
 * objects need no special case.
 */
export const toJsonObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** Returns the parsed JSON, or undefined if the text is invalid. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Callers report invalid JSON as a violation.
  }
};
