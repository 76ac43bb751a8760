import { invalidRequest } from '@witan/contracts';
import type { JsonObject } from './json-value.ts';
import { isTooDeep, MAX_JSON_DEPTH } from './json-text.ts';

type RawJson = { rawJSON: (text: string) => unknown };
type Context = { source?: string };

/** Cast, because TypeScript's standard library lacks `JSON.rawJSON`. */
const { rawJSON } = JSON as unknown as RawJson;
const parse = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: Context) => unknown,
) => unknown;

/**
 * Parses JSON so that `JSON.stringify` writes every number as it was written in the text: a
 * 19-digit account number in tool arguments must not change when it is converted to another
 * dialect. Throws SyntaxError.
 */
export const parseExactly = (text: string): unknown =>
  parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? rawJSON(source)
      : value,
  );

const LONG_NUMBER = /\d{16}/;

/**
 * Returns `body`, which was parsed from `source`, or parses it again so that `JSON.stringify`
 * writes long integers with all digits that they have in `source`.
 */
export const preserveLongNumbers = (source: string, body: JsonObject): JsonObject => {
  if (!LONG_NUMBER.test(source)) return body;
  return parse(source, (_key, value, { source: spelling }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && WHOLE.test(spelling ?? '')
      ? rawJSON(spelling!)
      : value,
  ) as JsonObject;
};

const WHOLE = /^-?\d+$/;

/**
 * Parses JSON text so that it can be a part of a body and its numbers are written as in the text.
 * Throws INVALID_REQUEST with `path` if the text is not JSON or is nested deeper than
 * `MAX_JSON_DEPTH`.
 */
export const embedJson = (text: string, path: string): unknown => {
  if (isTooDeep(text)) {
    const message = `${path}: the JSON text is nested deeper than ${MAX_JSON_DEPTH} levels.`;
    throw invalidRequest(message, { param: path });
  }
  try {
    return parseExactly(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidRequest(`${path}: must be JSON.`, { param: path });
  }
};
