/** The members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither null nor an array. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of `value`; none when it is no object, so that checks can go on and report. */
export const toFields = (value: unknown): Fields => (isFields(value) ? value : {});

/** What `text` says as JSON; undefined when it is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Whoever checks reports it, with the place where it stands.
  }
};
