import { ProofError } from './errors.ts';

/** Maximum nesting of a value that has a canonical text; such a value cannot overflow the stack. */
export const MAX_JSON_DEPTH = 1000;

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
  return writeValue(value, []);
}

type JsonPath = (string | number)[];

function writeValue(value: unknown, path: JsonPath): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return writeNumber(value, path);
  if (typeof value === 'string') return writeString(value, path);
  if (typeof value !== 'object') throw notCanonical(path, `a ${typeof value}`);
  if (path.length >= MAX_JSON_DEPTH) {
    throw new ProofError('too_deep', `the value has more than ${MAX_JSON_DEPTH} levels`);
  }
  return Array.isArray(value) ? writeArray(value, path) : writeObject(value, path);
}

function writeObject(value: object, path: JsonPath): string {
  if (!isPlain(value)) throw notCanonical(path, 'an object that is not plain');
  const members = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    path.push(key);
    text += `${text === '' ? '' : ','}${writeString(key, path)}:${writeValue(member, path)}`;
    path.pop();
  }
  return `{${text}}`;
}

function writeArray(items: unknown[], path: JsonPath): string {
  // An array with a hole has fewer keys than items. One with a named property has more, and JSON
  // would omit the property silently.
  if (Object.keys(items).length !== items.length) throw notCanonical(path, 'a sparse array');
  let text = '';
  for (const [index, item] of items.entries()) {
    path.push(index);
    text += `${index === 0 ? '' : ','}${writeValue(item, path)}`;
    path.pop();
  }
  return `[${text}]`;
}

function writeNumber(value: number, path: JsonPath): string {
  if (!Number.isFinite(value)) throw notCanonical(path, String(value));
  // Beyond 2^53-1, a parser with 64-bit integers and one with doubles would read different values.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw notCanonical(path, `the integer ${value}, which is beyond 2^53-1`);
  }
  return JSON.stringify(value);
}

function writeString(value: string, path: JsonPath): string {
  if (!value.isWellFormed()) throw notCanonical(path, 'a string with a lone surrogate');
  return JSON.stringify(value);
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
