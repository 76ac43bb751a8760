import type { JsonObject } from '../dialect.ts';
import { parseObject } from './lenient.ts';

/** The one string in which similar texts differ. */
export type Hole = { holder: JsonObject; key: string };

type Template = { prefix: string; suffix: string; value: JsonObject; hole: Hole };

/** Characters for which a text differs from its JSON source. */
const ESCAPED = /["\\\p{Cc}]/u;
/** A text that no provider sends; verifies the position of a template's hole. */
const PROBE = 'witan probe';
/** From this length on, V8 slices reference the whole source and keep it in memory. */
const MIN_SLICED_LENGTH = 13;

/**
 * Parses a stream of JSON texts that mostly differ in one string, as frames of a streamed answer
 * do: such a text is compared instead of parsed. Returns the same as `JSON.parse`, or undefined for
 * a text that is not an object. The value belongs to the parser and is valid until the next call.
 */
export const createTemplateParser = (
  findHole: (value: JsonObject) => Hole | undefined,
): ((text: string) => JsonObject | undefined) => {
  let template: Template | undefined;
  return (text) => {
    const filled = template && fill(template, text);
    if (filled) return filled;
    const value = parseObject(text);
    const hole = value && findHole(value);
    if (hole) template = learn(text, hole, findHole) ?? template;
    return value;
  };
};

const fill = ({ prefix, suffix, value, hole }: Template, text: string): JsonObject | undefined => {
  const end = text.length - suffix.length;
  if (end < prefix.length || !text.startsWith(prefix) || !text.endsWith(suffix)) return undefined;
  const content = text.slice(prefix.length, end);
  if (ESCAPED.test(content)) return undefined;
  hole.holder[hole.key] = toOwnText(content);
  return value;
};

/** Copies the text, so that it does not reference its source. It has no escapes: see `ESCAPED`. */
const toOwnText = (text: string): string =>
  text.length < MIN_SLICED_LENGTH ? text : (JSON.parse(`"${text}"`) as string);

/** Splits a text at its hole; undefined if that is ambiguous. */
const learn = (
  text: string,
  { holder, key }: Hole,
  findHole: (value: JsonObject) => Hole | undefined,
): Template | undefined => {
  const opening = `${JSON.stringify(key)}:"`;
  const start = text.indexOf(opening) + opening.length;
  const content = String(holder[key]);
  if (content === PROBE) return undefined;
  if (start < opening.length || !text.startsWith(`${content}"`, start)) return undefined;
  const prefix = text.slice(0, start);
  const suffix = text.slice(start + content.length);
  const value = parseObject(prefix + PROBE + suffix);
  const hole = value && findHole(value);
  if (!hole || hole.holder[hole.key] !== PROBE) return undefined;
  return { prefix, suffix, value, hole };
};
