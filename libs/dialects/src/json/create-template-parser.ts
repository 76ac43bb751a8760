import type { JsonObject } from '../dialect.ts';
import { parseObject } from './lenient.ts';

/** Where the one text stands that differs between texts that are else alike. */
export type Hole = { holder: JsonObject; key: string };

type Template = { prefix: string; suffix: string; value: JsonObject; hole: Hole };

/** A quote, a backslash, a control character: behind it a text is not what stands in the source. */
const ESCAPED = /["\\\p{Cc}]/u;
/** A text that no provider sends; proves that a template's hole is where it should be. */
const PROBE = 'witan probe';
/** From this length on, V8 cuts a text out by pointing into the whole, which stays in memory. */
const MIN_SLICED_LENGTH = 13;

/**
 * A parser for a stream of JSON texts most of which differ in one string only, as the frames of a
 * streamed answer do: such a text is compared instead of parsed. Exact: it answers what
 * `JSON.parse` would, or undefined for what is no object. The value answered belongs to the parser
 * and is good until the next call.
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

/** The same text with characters of its own. It needs no escapes: `ESCAPED` was asked. */
const toOwnText = (text: string): string =>
  text.length < MIN_SLICED_LENGTH ? text : (JSON.parse(`"${text}"`) as string);

/** Cuts a text at its hole; undefined when it cannot be cut with certainty. */
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
