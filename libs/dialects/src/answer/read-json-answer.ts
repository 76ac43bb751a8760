import type { JsonObject } from '../json/json-value.ts';
import { readFilledSchema } from './read-filled-schema.ts';
import { MAX_ANSWER_DEPTH, parseLenientObject, toFinite } from './parse-lenient-object.ts';

/** Maximum size of an answer that is parsed, in bytes of UTF-8. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

export type JsonAnswer = { object: JsonObject } | { error: JsonError };

const FENCE_OPENING = /^(?:```|~~~)[\w+-]*\s*/;
const FENCES = ['```', '~~~'];
const LIST_OPENING = /^\[\s*(?:[[{"'\d\]-]|(?:true|false|null|None)\b)/i;

/**
 * Returns the JSON object in a model's answer. Tries the whole text without byte order mark and
 * code fence, then the first object within prose, and repairs common mistakes. If `isCut` (the
 * answer is incomplete), no missing bracket is added, so that truncated JSON is never accepted. For
 * valid JSON the object equals that of `JSON.parse`, except that it has no `__proto__`, null for
 * infinite numbers, and 0 for -0. If `schema` is the JSON Schema that was requested, values that
 * the model wrote into a copy of it are read as members of the object. Runs in linear time.
 */
export const readJsonAnswer = (
  text: string,
  { isCut, schema }: { isCut: boolean; schema?: JsonObject | boolean | undefined },
): JsonAnswer => {
  if (isTooLarge(text)) return { error: { kind: 'too-large' } };
  const body = stripFence(text);
  const answer = readWhole(body) ?? readWithin(body, { isCut });
  if ('object' in answer) {
    const object =
      typeof schema === 'object' ? readFilledSchema(answer.object, schema) : answer.object;
    return object ? { object } : { error: { kind: 'schema-echo' } };
  }
  return isCut && answer.error.kind !== 'too-deep' ? { error: { kind: 'cut-off' } } : answer;
};

const isTooLarge = (text: string): boolean =>
  text.length > MAX_ANSWER_BYTES ||
  // A UTF-16 unit takes at most three bytes of UTF-8, so a short text needs no encoding to
  // determine its size.
  (text.length * 3 > MAX_ANSWER_BYTES && new TextEncoder().encode(text).length > MAX_ANSWER_BYTES);

const stripFence = (text: string): string => {
  // `trim` also removes a byte order mark.
  const body = text.trim().replace(FENCE_OPENING, '');
  return FENCES.some((fence) => body.endsWith(fence)) ? body.slice(0, -3).trimEnd() : body;
};

const readWhole = (body: string): JsonAnswer | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return { error: { kind: 'not-an-object' } };
  return sanitize(value, 1) ? { object: value } : { error: { kind: 'too-deep' } };
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Deletes `__proto__` members, and replaces infinite numbers with null and -0 with 0, in place.
 * Returns false if the value is nested too deeply.
 */
const sanitize = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_ANSWER_DEPTH) return false;
  const members = value as JsonObject;
  Reflect.deleteProperty(members, '__proto__');
  return Object.keys(members).every((key) => {
    const member = members[key];
    if (typeof member === 'number') members[key] = toFinite(member);
    return sanitize(member, depth + 1);
  });
};

const readWithin = (body: string, { isCut }: { isCut: boolean }): JsonAnswer => {
  if (body === '') return { error: { kind: 'empty' } };
  if (LIST_OPENING.test(body)) return { error: { kind: 'not-an-object' } };
  let offset = body.indexOf('{');
  while (offset !== -1) {
    const read = parseLenientObject(body, { from: offset, allowsUnclosed: !isCut });
    if ('object' in read) {
      if (isInList(body, offset)) return { error: { kind: 'not-an-object' } };
      const isWhole = !isCut || !hasUnterminatedObject(body, read.end);
      return isWhole ? { object: read.object } : { error: { kind: 'cut-off' } };
    }
    // The brace does begin an object, which is malformed. The search ends here, because an object
    // nested in it must not be returned instead.
    if ('problem' in read) {
      return { error: read.isTooDeep ? { kind: 'too-deep' } : toMalformed(body, read) };
    }
    offset = body.indexOf('{', read.resumeOffset);
  }
  return { error: { kind: 'no-object' } };
};

/**
 * Returns whether an object that is not closed begins after `from`. If so, it may be the answer,
 * and the objects before it only examples.
 */
const hasUnterminatedObject = (body: string, from: number): boolean => {
  let offset = body.indexOf('{', from);
  while (offset !== -1) {
    const read = parseLenientObject(body, { from: offset, allowsUnclosed: false });
    const end =
      'object' in read ? read.end : 'resumeOffset' in read ? read.resumeOffset : body.length;
    if (!('object' in read) && end === body.length) return true;
    offset = body.indexOf('{', end);
  }
  return false;
};

const isInList = (body: string, offset: number): boolean => {
  let previous = offset - 1;
  while (previous >= 0 && /\s/.test(body[previous]!)) previous -= 1;
  return body[previous] === '[';
};

const toMalformed = (
  body: string,
  { problem, offset: index }: { problem: string; offset: number },
): JsonError => {
  const lines = body.slice(0, index).split('\n');
  return { kind: 'malformed', problem, line: lines.length, column: lines.at(-1)!.length + 1 };
};

/**
 * Returns whether an answer is incomplete. That is so for every finish reason except `stop`, for
 * example a token limit, a content filter or a broken stream.
 */
export const isCutOff = (finishReason: string): boolean => finishReason !== 'stop';

/** Reason why an answer is not the JSON object that was requested. It never quotes the answer. */
export type JsonError =
  | { kind: 'empty' | 'too-large' | 'too-deep' | 'no-object' | 'not-an-object' | 'cut-off' }
  /** It repeats the schema that was requested, without values. */
  | { kind: 'schema-echo' }
  /** Line and column count from 1, in the trimmed answer without its code fence. */
  | { kind: 'malformed'; problem: string; line: number; column: number }
  | { kind: 'missing-fields'; names: readonly string[] };

const SENTENCES: Readonly<
  Record<Exclude<JsonError['kind'], 'malformed' | 'missing-fields'>, string>
> = {
  empty: 'it was empty',
  'too-large': 'it was too long',
  'too-deep': 'it was nested too deeply',
  'no-object': 'it held no JSON object',
  'not-an-object': 'its outermost value was not an object',
  'schema-echo':
    'it repeated the description of the object instead of being one; the members stand at the ' +
    'top level, each with its value, not under "properties"',
  'cut-off': 'it was cut off before its end; say the same in fewer words',
};

export const toRetryInstruction = (error: JsonError): string =>
  `Your last answer could not be used: ${describeJsonError(error)}. ` +
  'Answer again with the whole JSON object and nothing else: no text around it, no code fence.';

export const describeJsonError = (error: JsonError): string => {
  if (error.kind === 'malformed') {
    const { problem, line, column } = error;
    return `it is not valid JSON (line ${line}, column ${column}: ${problem})`;
  }
  if (error.kind === 'missing-fields') {
    const names = error.names.map((name) => JSON.stringify(name));
    return `these fields are missing: ${names.join(', ')}`;
  }
  return SENTENCES[error.kind];
};
