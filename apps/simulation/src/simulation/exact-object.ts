import type { JsonObject } from '@bufbuild/protobuf';
import { parseExactly } from '@witan/dialects';

/**
 * A caller's object whose numbers are returned exactly as written: those that a double cannot
 * represent are raw JSON (`{rawJSON}`), so that `JSON.stringify` writes all their digits. Use
 * `toPlain` to compute with it.
 */
export type ExactObject = JsonObject;

export const parseExactObject = (text: string): ExactObject => parseExactly(text) as ExactObject;

export const toPlain = (exactObject: ExactObject): JsonObject =>
  JSON.parse(JSON.stringify(exactObject)) as JsonObject;

export const pickMembers = (exactObject: ExactObject, names: readonly string[]): ExactObject =>
  Object.fromEntries(names.map((name) => [name, exactObject[name]!]));
