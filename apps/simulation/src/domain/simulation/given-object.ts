import type { JsonObject } from '@bufbuild/protobuf';
import { parseExactly } from '@witan/dialects';

/**
 * An object of a caller's own, which comes back as it was written: a number that a double does not
 * hold is raw JSON in it (`{rawJSON}`), so that `JSON.stringify` writes all its digits. What is to
 * be computed with is read by `toPlain`.
 */
export type GivenObject = JsonObject;

/** Throws SyntaxError; the text must be that of an object. */
export const parseGiven = (text: string): GivenObject => parseExactly(text) as GivenObject;

/** The same with every number a double: the nearest to what was written. */
export const toPlain = (given: GivenObject): JsonObject =>
  JSON.parse(JSON.stringify(given)) as JsonObject;

/** Those members of it, as they were written. */
export const pickGiven = (given: GivenObject, names: readonly string[]): GivenObject =>
  Object.fromEntries(names.map((name) => [name, given[name]!]));
