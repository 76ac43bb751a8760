import type { JsonObject } from '@bufbuild/protobuf';
import { parseExactly } from '@witan/dialects';

/**
 * An object of a caller that is returned as it was written: a number that a double cannot represent
 * is raw JSON in it (`{rawJSON}`), so that `JSON.stringify` writes all its digits. `toPlain` makes
 * it computable.
 */
export type GivenObject = JsonObject;

/** Throws SyntaxError; the text must be that of an object. */
export const parseGiven = (text: string): GivenObject => parseExactly(text) as GivenObject;

/** Returns the object with every number rounded to a double. */
export const toPlain = (given: GivenObject): JsonObject =>
  JSON.parse(JSON.stringify(given)) as JsonObject;

/** Returns the named members, unchanged. */
export const pickGiven = (given: GivenObject, names: readonly string[]): GivenObject =>
  Object.fromEntries(names.map((name) => [name, given[name]!]));
