import type { JsonObject } from '@bufbuild/protobuf';
import { parseExactly } from '@witan/dialects';

/**
 * A caller's object that is returned exactly as written: numbers that a double cannot represent are
 * raw JSON (`{rawJSON}`), so that `JSON.stringify` writes all digits. Use `toPlain` to compute with
 * it.
 */
export type GivenObject = JsonObject;

export const parseGiven = (text: string): GivenObject => parseExactly(text) as GivenObject;

export const toPlain = (given: GivenObject): JsonObject =>
  JSON.parse(JSON.stringify(given)) as JsonObject;

export const pickGiven = (given: GivenObject, names: readonly string[]): GivenObject =>
  Object.fromEntries(names.map((name) => [name, given[name]!]));
