import { ProofError } from './errors.ts';
import { sha256Hex } from './bytes.ts';

/** Maximum nesting of a value that has a canonical text; such a value cannot overflow the stack. */
export const MAX_JSON_DEPTH = 1000;

/**
 * Returns the commitment to a JSON value: the SHA-256, in lower-case hex, of the UTF-8 bytes of its
 * {@link commitmentText}. Throws ProofError `too_deep`.
 */
export function commit(value: unknown): string {
  return sha256Hex(commitmentText(value));
}

/**
 * Returns the text whose hash is the commitment to `value`, a result of JSON.parse: keys in
 * ascending order of UTF-16 code units, strings and numbers as `JSON.stringify` writes them (lone
 * surrogates escaped, numbers as doubles), no white space. Unlike `canonicalJson` it accepts all
 * JSON, because clients and providers may send any; for a value that both functions accept, the
 * texts are the same. Throws ProofError `too_deep` beyond `maxDepth` levels (default and maximum:
 * 1,000).
 *
 * This runs for every call, on bodies of up to megabytes. So the function sorts the keys and then
 * uses the engine's `JSON.stringify` where possible, which is several times faster than a writer in
 * JavaScript.
 */
export function commitmentText(value: unknown, options: { maxDepth?: number } = {}): string {
  const limit = Math.min(options.maxDepth ?? MAX_JSON_DEPTH, MAX_JSON_DEPTH);
  const ordering: Ordering = { limit, isUnsupported: false };
  const ordered = orderKeys(value, 0, ordering);
  return ordering.isUnsupported ? writeText(value) : (JSON.stringify(ordered) ?? 'null');
}

type Ordering = { readonly limit: number; isUnsupported: boolean };

function orderKeys(value: unknown, depth: number, ordering: Ordering): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= ordering.limit) throw tooDeep(ordering.limit);
  return Array.isArray(value)
    ? orderItems(value, depth + 1, ordering)
    : orderMembers(value as Record<string, unknown>, depth + 1, ordering);
}

function orderItems(items: unknown[], depth: number, ordering: Ordering): unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < items.length; i += 1) {
    const item = items[i];
    if (typeof item !== 'object') continue;
    const ordered = orderKeys(item, depth, ordering);
    if (ordered === item) continue;
    copy ??= items.slice();
    copy[i] = ordered;
  }
  return copy ?? items;
}

function orderMembers(
  members: Record<string, unknown>,
  depth: number,
  ordering: Ordering,
): Record<string, unknown> {
  const keys = Object.keys(members);
  let copy: Record<string, unknown> | undefined;
  if (!isAscending(keys)) {
    keys.sort();
    if (keys.some(hasFixedPosition)) ordering.isUnsupported = true;
    copy = {};
  }
  for (const key of keys) {
    const member = members[key];
    const ordered = typeof member === 'object' ? orderKeys(member, depth, ordering) : member;
    if (ordered !== member) copy ??= { ...members };
    if (copy !== undefined) copy[key] = ordered;
  }
  return copy ?? members;
}

function isAscending(keys: string[]): boolean {
  for (let i = 1; i < keys.length; i += 1) {
    if ((keys[i - 1] as string) > (keys[i] as string)) return false;
  }
  return true;
}

/**
 * Returns true if insertion order may not determine the position of the key: engines list integer
 * keys first, and assigning `__proto__` creates no member. Every key that starts with a digit
 * counts, which is cheaper to check and safe.
 */
function hasFixedPosition(key: string): boolean {
  const first = key.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || key === '__proto__';
}

/**
 * Writes a value that has keys for which `hasFixedPosition` is true, which is rare. The caller has
 * checked its depth.
 */
function writeText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(writeText).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const texts = members.map(([key, member]) => `${JSON.stringify(key)}:${writeText(member)}`);
  return `{${texts.join(',')}}`;
}

/**
 * Returns the canonical JSON text of a payload: scalars as `JSON.stringify` writes them, object
 * keys in ascending order of UTF-16 code units, no undefined members, no white space. For every
 * accepted value it is the same text as that of RFC 8785.
 *
 * Throws ProofError `not_canonical` for values that two implementations might write differently:
 * NaN and infinities, integers beyond 2^53-1, BigInt, lone surrogates, arrays with holes or named
 * properties, undefined except as a member, functions, symbols and objects that are not plain.
 * Throws ProofError `too_deep` beyond 1,000 levels.
 */
export function canonicalJson(value: unknown): string {
  checkCanonical(value, []);
  return commitmentText(value);
}

type JsonPath = string[];

function checkCanonical(value: unknown, path: JsonPath): void {
  if (typeof value === 'string') checkString(value, path);
  else if (typeof value === 'number') checkNumber(value, path);
  else if (typeof value === 'object') {
    if (value !== null) checkMembers(value, path);
  } else if (typeof value !== 'boolean') throw notCanonical(path, `a ${typeof value}`);
}

function checkMembers(value: object, path: JsonPath): void {
  if (path.length >= MAX_JSON_DEPTH) throw tooDeep(MAX_JSON_DEPTH);
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) throw notCanonical(path, 'an object that is not plain');
  const members = value as Record<string, unknown>;
  const keys = Object.keys(members);
  // An array with a hole has fewer keys than items. One with a named property has more, and JSON
  // would omit the property silently.
  if (isList && keys.length !== value.length) throw notCanonical(path, 'a sparse array');
  for (const key of keys) {
    const member = members[key];
    if (member === undefined && !isList) continue;
    path.push(key);
    if (!isList) checkString(key, path);
    checkCanonical(member, path);
    path.pop();
  }
}

function checkNumber(value: number, path: JsonPath): void {
  if (!Number.isFinite(value)) throw notCanonical(path, String(value));
  // Beyond 2^53-1, a parser with 64-bit integers and one with doubles would read different values.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw notCanonical(path, `the integer ${value}, which is beyond 2^53-1`);
  }
}

function checkString(value: string, path: JsonPath): void {
  if (!value.isWellFormed()) throw notCanonical(path, 'a string with a lone surrogate');
}

/**
 * Returns whether an object is plain, even if it comes from another realm (iframe, worker), whose
 * `Object.prototype` is a different object.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function notCanonical(path: JsonPath, description: string): ProofError {
  const location = ['$', ...path].join('.');
  return new ProofError(
    'not_canonical',
    `${location} is ${description}, which has no canonical text`,
  );
}

function tooDeep(limit: number): ProofError {
  return new ProofError('too_deep', `the value has more than ${limit} levels`);
}
