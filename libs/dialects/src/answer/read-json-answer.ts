import type { JsonObject } from '../dialect.ts';
import type { JsonError } from './json-error.ts';
import { MAX_ANSWER_DEPTH, parseLenientObject, toFinite } from './parse-lenient-object.ts';

/** Longest answer that is read as JSON, in UTF-8 bytes. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** The object of an answer, or the reason why there is none. */
export type JsonAnswer = { object: JsonObject } | { error: JsonError };

/** The opening of a code fence at the very beginning, with its language. */
const FENCE_OPENING = /^(?:```|~~~)[\w+-]*\s*/;
const FENCES = ['```', '~~~'];
/** The beginning of a list of values, as opposed to a word in brackets. */
const LIST_OPENING = /^\[\s*(?:[[{"'\d\]-]|(?:true|false|null|None)\b)/i;

/**
 * Reads the JSON object of a model's answer: as it is, without byte order mark and fence, within
 * prose, and at last with common mistakes repaired. `isCut`: the model did not end the answer
 * itself; then no bracket is closed for it, so that truncated JSON never passes as whole. Linear in
 * the text; for valid JSON the object equals `JSON.parse`'s, without `__proto__`.
 */
export const readJsonAnswer = (text: string, { isCut }: { isCut: boolean }): JsonAnswer => {
  if (isTooLarge(text)) return { error: { kind: 'too-large' } };
  const body = stripFence(text);
  const answer = readWhole(body) ?? readWithin(body, { isCut });
  const isFinal = 'object' in answer || !isCut || answer.error.kind === 'too-deep';
  // A truncated answer needs more room, whatever else is wrong with it.
  return isFinal ? answer : { error: { kind: 'cut-off' } };
};

const isTooLarge = (text: string): boolean =>
  text.length > MAX_ANSWER_BYTES ||
  // A UTF-16 unit takes at most three bytes.
  (text.length * 3 > MAX_ANSWER_BYTES && new TextEncoder().encode(text).length > MAX_ANSWER_BYTES);

const stripFence = (text: string): string => {
  // Trimming removes a byte order mark too.
  const body = text.trim().replace(FENCE_OPENING, '');
  return FENCES.some((fence) => body.endsWith(fence)) ? body.slice(0, -3).trimEnd() : body;
};

/** Returns the answer if the whole text is valid JSON. */
const readWhole = (body: string): JsonAnswer | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // Surrounding prose or broken JSON: the next steps handle both.
    return undefined;
  }
  if (!isObject(value)) return { error: { kind: 'not-an-object' } };
  return clean(value, 1) ? { object: value } : { error: { kind: 'too-deep' } };
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Removes every `__proto__` and every number that JSON cannot represent. False if the value is
 * nested deeper than the limit.
 */
const clean = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_ANSWER_DEPTH) return false;
  const members = value as JsonObject;
  Reflect.deleteProperty(members, '__proto__');
  return Object.keys(members).every((key) => {
    const member = members[key];
    if (typeof member === 'number') members[key] = toFinite(member);
    return clean(member, depth + 1);
  });
};

/** Reads the first object in the text. An element of a list does not count. */
const readWithin = (body: string, { isCut }: { isCut: boolean }): JsonAnswer => {
  if (body === '') return { error: { kind: 'empty' } };
  if (LIST_OPENING.test(body)) return { error: { kind: 'not-an-object' } };
  let at = body.indexOf('{');
  while (at !== -1) {
    const read = parseLenientObject(body, { from: at, mayClose: !isCut });
    if ('object' in read) {
      if (isInList(body, at)) return { error: { kind: 'not-an-object' } };
      const isWhole = !isCut || !isBegun(body, read.end);
      return isWhole ? { object: read.object } : { error: { kind: 'cut-off' } };
    }
    // A brace with a key and a colon is certainly an object, so no part of it may pass for one.
    if ('problem' in read) {
      return { error: read.isTooDeep ? { kind: 'too-deep' } : toMalformed(body, read) };
    }
    at = body.indexOf('{', read.noObjectTo);
  }
  return { error: { kind: 'no-object' } };
};

/** Returns whether an unterminated object begins there: earlier objects may have been examples. */
const isBegun = (body: string, from: number): boolean => {
  let at = body.indexOf('{', from);
  while (at !== -1) {
    const read = parseLenientObject(body, { from: at, mayClose: false });
    const end = 'object' in read ? read.end : 'noObjectTo' in read ? read.noObjectTo : body.length;
    if (!('object' in read) && end === body.length) return true;
    at = body.indexOf('{', end);
  }
  return false;
};

const isInList = (body: string, at: number): boolean => {
  let before = at - 1;
  while (before >= 0 && /\s/.test(body[before]!)) before -= 1;
  return body[before] === '[';
};

const toMalformed = (body: string, { problem, at }: { problem: string; at: number }): JsonError => {
  const lines = body.slice(0, at).split('\n');
  return { kind: 'malformed', problem, line: lines.length, column: lines.at(-1)!.length + 1 };
};
