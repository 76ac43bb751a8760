import type { JsonObject } from '../dialect.ts';

/** The exact spelling of a number for JSON.stringify. */
type RawJson = { rawJSON: (text: string) => unknown };
/** The context argument of a reviver. */
type Context = { source?: string };

/** The runtime has raw JSON, but the compiler's library does not yet. */
const { rawJSON } = JSON as unknown as RawJson;
const parse = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: Context) => unknown,
) => unknown;

/**
 * Parses JSON so that `JSON.stringify` writes every number as it was written: an account number of
 * nineteen digits in a tool's arguments must not change on its way to another dialect. Throws
 * SyntaxError on text that is not JSON.
 */
export const parseExactly = (text: string): unknown =>
  parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? rawJSON(source)
      : value,
  );

/** A whole number that a double may not hold. */
const LONG_NUMBER = /\d{16}/;

/**
 * Returns `body`, parsed from `source`, with every integer beyond 2^53 in its original spelling,
 * for a body that is encoded again.
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
