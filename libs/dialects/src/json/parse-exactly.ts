import type { JsonObject } from '../dialect.ts';

/** The exact spelling of a number, which JSON.stringify writes as it stands. */
type RawJson = { rawJSON: (text: string) => unknown };
/** What a reviver is told of the value's place in the text. */
type Context = { source?: string };

/** Raw JSON is part of the language that runs here, but not yet of the compiler's library. */
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
 * The body of a request that is about to be written anew, whose text is `source` and which has been
 * parsed to `body`: the same, with every whole number beyond 2^53 spelled as it was.
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
