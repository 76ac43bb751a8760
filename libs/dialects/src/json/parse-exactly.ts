import type { JsonObject } from '../dialect.ts';

type RawJson = { rawJSON: (text: string) => unknown };
type Context = { source?: string };

/** `JSON.rawJSON` is missing in TypeScript's standard library. */
const { rawJSON } = JSON as unknown as RawJson;
const parse = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: Context) => unknown,
) => unknown;

/**
 * Parses JSON so that `JSON.stringify` writes every number in its original spelling: a 19-digit
 * account number in tool arguments must not change when it is converted to another dialect. Throws
 * SyntaxError.
 */
export const parseExactly = (text: string): unknown =>
  parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? rawJSON(source)
      : value,
  );

const LONG_NUMBER = /\d{16}/;

/**
 * Returns `body`, which was parsed from `source`, with every integer beyond 2^53 in its original
 * spelling.
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
