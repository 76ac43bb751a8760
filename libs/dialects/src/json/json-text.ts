import { parseObject } from './json-value.ts';
import type { JsonObject, ParseObject } from './json-value.ts';

/**
 * A member of an object: its key, and the offsets of the key's quote and of the value's start and
 * end.
 */
export type Member = { key: string; keyStart: number; start: number; end: number };
export type Element = { start: number; end: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/**
 * Returns the members of the outermost object in the text's order, including duplicates. `source`
 * must be a valid JSON object; for other text the function may throw.
 */
export const readMembers = (source: string): Member[] => {
  const members: Member[] = [];
  let offset = source.indexOf('{') + 1;
  for (;;) {
    const keyStart = source.indexOf('"', offset);
    if (keyStart === -1) return members;
    const keyEnd = endOfString(source, keyStart);
    const key = JSON.parse(source.slice(keyStart, keyEnd)) as string;
    const start = skipSpace(source, source.indexOf(':', keyEnd) + 1);
    const end = endOfValue(source, start);
    members.push({ key, keyStart, start, end });
    offset = skipSpace(source, end);
    if (offset >= source.length) throw new Error('readMembers was given text that is not JSON.');
    if (source.charCodeAt(offset) !== COMMA) return members;
    offset += 1;
  }
};

/**
 * Returns the elements of the list whose bracket is at `start`. `source` must be valid JSON; for
 * other text the function may throw.
 */
export const readElements = (source: string, start: number): Element[] => {
  const elements: Element[] = [];
  let offset = skipSpace(source, start + 1);
  if (source.charCodeAt(offset) === CLOSE_LIST) return elements;
  for (;;) {
    const end = endOfValue(source, offset);
    elements.push({ start: offset, end });
    offset = skipSpace(source, end);
    if (source.charCodeAt(offset) === CLOSE_LIST) return elements;
    if (source.charCodeAt(offset) !== COMMA) {
      throw new Error('readElements was given text that is not JSON.');
    }
    offset = skipSpace(source, offset + 1);
  }
};

/**
 * Maximum nesting of JSON text that becomes part of a body; deeper text could overflow the stack.
 */
export const MAX_JSON_DEPTH = 512;

/** Returns whether JSON text is nested deeper than `depthMax`. Does not throw for other text. */
export const isTooDeep = (text: string, depthMax: number = MAX_JSON_DEPTH): boolean =>
  endOfNested(text, 0, depthMax) === undefined;

/**
 * Returns the offset after the string whose opening quote is at `start`; the length of a text that
 * ends inside the string.
 */
export const endOfString = (text: string, start: number): number => {
  for (
    let offset = text.indexOf('"', start + 1);
    offset !== -1;
    offset = text.indexOf('"', offset + 1)
  ) {
    let backslashes = 0;
    while (text.charCodeAt(offset - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return offset + 1;
  }
  return text.length;
};

const endOfValue = (source: string, start: number): number => {
  const first = source.charCodeAt(start);
  if (first === QUOTE) return endOfString(source, start);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return endOfNested(source, start)!;
  let offset = start;
  while (offset < source.length && /[^\s,}\]]/.test(source[offset]!)) offset += 1;
  return offset;
};

/**
 * Returns the offset after the first object or list from `start` on, or the text's length if none
 * ends; undefined if it is nested deeper than `depthMax`.
 */
const endOfNested = (text: string, start: number, depthMax = Infinity): number | undefined => {
  let depth = 0;
  for (let offset = start; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    if (code === QUOTE) offset = endOfString(text, offset) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth += 1;
      if (depth > depthMax) return undefined;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return offset + 1;
    }
  }
  return text.length;
};

const skipSpace = (source: string, start: number): number => {
  let offset = start;
  while (source.charCodeAt(offset) <= 0x20) offset += 1;
  return offset;
};

/**
 * Edits of an object's members by key. An edit is the JSON text of a new value, edits inside the
 * value, or `null` to remove the member.
 */
export type MemberEdits = { readonly [key: string]: MemberEdit | null };

type MemberEdit = string | MemberEdits;

/**
 * Replaces, adds or removes members of a JSON object in its source text. Apart from commas and
 * white space between members, every other character is unchanged, so unknown fields, number
 * spellings and member order are preserved. `source` must be a valid JSON object. All occurrences
 * of a duplicate key are replaced, because parsers differ in which one they use.
 */
export const editMembers = (source: string, edits: MemberEdits): string => {
  const missing = new Set(Object.keys(edits));
  const members = readMembers(source);
  const isRetained = ({ key }: Member): boolean =>
    !Object.hasOwn(edits, key) || edits[key] !== null;
  const last = members.findLastIndex(isRetained);
  let editedText = source.slice(0, members[0]?.keyStart ?? source.lastIndexOf('}'));
  for (const [index, member] of members.entries()) {
    if (!isRetained(member)) continue;
    const { key, keyStart, start, end } = member;
    const value = Object.hasOwn(edits, key) ? edits[key] : undefined;
    missing.delete(key);
    const text = source.slice(start, end);
    editedText += source.slice(keyStart, start) + (value == null ? text : rewrite(text, value));
    if (index < last) editedText += source.slice(end, members[index + 1]!.keyStart);
  }
  const close = source.lastIndexOf('}');
  editedText += source.slice(members.at(-1)?.end ?? close, close);
  let separator = last >= 0 ? ',' : '';
  for (const key of missing) {
    const value = edits[key] ?? null;
    if (value === null) continue;
    editedText += `${separator}${JSON.stringify(key)}:${rewrite('{}', value)}`;
    separator = ',';
  }
  return editedText + source.slice(close);
};

const rewrite = (value: string, edit: MemberEdit): string => {
  if (typeof edit === 'string') return edit;
  return editMembers(value.startsWith('{') ? value : '{}', edit);
};

/** Identifies the string in which similar JSON texts differ: a member of an object. */
export type Hole = { object: JsonObject; key: string };

/** What stands before and after the string in which JSON texts differ, with its quotes. */
export type TextTemplate = { prefix: string; suffix: string };

type Template = TextTemplate & { value: JsonObject; hole: Hole };

const ESCAPED = /["\\\p{Cc}]/u;
/**
 * Text that is put into the hole of a new template, to verify that it arrives in the expected
 * member. A text with this content becomes no template.
 */
const PROBE = 'witan probe';
/**
 * Length from which a V8 slice references its source string and so keeps the whole source in
 * memory.
 */
const MIN_SLICED_LENGTH = 13;

/**
 * Creates a parser of JSON texts that mostly differ in one string, such as the frames of a streamed
 * answer. If a text differs from an earlier one, the template, only in that string, the string is
 * replaced and the text is not parsed; all others are parsed by `parse`. Returns undefined for text
 * that is not an object. The returned object is reused, so it is valid until the next call only.
 */
export const createTemplateParser = (
  findHole: (value: JsonObject) => Hole | undefined,
  parse: ParseObject = parseObject,
): ParseObject => {
  let template: Template | undefined;
  return (text) => {
    const filledValue = template && fillTemplate(template, text);
    if (filledValue) return filledValue;
    const value = parse(text);
    const hole = value && findHole(value);
    if (hole) template = createTemplate(text, hole, findHole) ?? template;
    return value;
  };
};

/**
 * Returns the string in which a JSON text differs from a template; undefined if the text also
 * differs elsewhere, or if the string has escapes.
 */
export const matchTemplate = (
  { prefix, suffix }: TextTemplate,
  text: string,
): string | undefined => {
  const end = text.length - suffix.length;
  if (end < prefix.length) return undefined;
  // Comparing slices takes a tenth of the time of `startsWith` and `endsWith`.
  if (text.slice(0, prefix.length) !== prefix || text.slice(end) !== suffix) return undefined;
  const content = text.slice(prefix.length, end);
  return ESCAPED.test(content) ? undefined : content;
};

const fillTemplate = (template: Template, text: string): JsonObject | undefined => {
  const content = matchTemplate(template, text);
  if (content === undefined) return undefined;
  const { hole, value } = template;
  hole.object[hole.key] = copyText(content);
  return value;
};

/**
 * Copies a slice, so that it does not keep its source string in memory. Quotes suffice to make it
 * JSON, because a text that needs escapes (`ESCAPED`) is not copied.
 */
const copyText = (text: string): string =>
  text.length < MIN_SLICED_LENGTH ? text : (JSON.parse(`"${text}"`) as string);

const createTemplate = (
  text: string,
  { object, key }: Hole,
  findHole: (value: JsonObject) => Hole | undefined,
): Template | undefined => {
  const opening = `${JSON.stringify(key)}:"`;
  const start = text.indexOf(opening) + opening.length;
  const content = String(object[key]);
  if (content === PROBE) return undefined;
  if (start < opening.length || !text.startsWith(`${content}"`, start)) return undefined;
  const prefix = text.slice(0, start);
  const suffix = text.slice(start + content.length);
  const value = parseObject(prefix + PROBE + suffix);
  const hole = value && findHole(value);
  if (!hole || hole.object[hole.key] !== PROBE) return undefined;
  return { prefix, suffix, value, hole };
};
