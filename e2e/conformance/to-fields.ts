export type Fields = Readonly<Record<string, unknown>>;

/** Returns whether the value is a JSON object: neither null nor an array. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the members of an object, or none for any other value, so that checks can continue. */
export const toFields = (value: unknown): Fields => (isFields(value) ? value : {});

/** Returns the parsed JSON, or undefined for invalid text. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller reports the violation.
  }
};
