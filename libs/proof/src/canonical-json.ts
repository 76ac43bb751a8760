import { ProofError } from './errors.ts';

/** Maximum nesting depth of a canonical text; far below any stack limit. */
export const MAX_JSON_DEPTH = 1000;

/**
 * Returns the canonical JSON text of a payload: scalars as `JSON.stringify` writes them, object
 * keys ascending by UTF-16 code unit, undefined members dropped, no white space. Equal to RFC 8785
 * for every value that it accepts.
 *
 * Throws `not_canonical` for values that two implementations might write differently: NaN and
 * infinities, integers beyond 2^53-1, BigInt, lone surrogates, sparse arrays, undefined inside an
 * array, functions, symbols and objects that are not plain; `too_deep` beyond 1,000 levels.
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
  for (const key of Object.keys(members).toSorted()) {
    const member = members[key];
    if (member === undefined) continue;
    path.push(key);
    text += `${text === '' ? '' : ','}${writeString(key, path)}:${writeValue(member, path)}`;
    path.pop();
  }
  return `{${text}}`;
}

function writeArray(items: unknown[], path: JsonPath): string {
  // A list with a hole has fewer keys than items; one with a named property has more, and the
  // property would be dropped silently.
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
  // Parsers with 64-bit integers and parsers with doubles would read different values.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw notCanonical(path, `the integer ${value}, which is beyond 2^53-1`);
  }
  return JSON.stringify(value);
}

function writeString(value: string, path: JsonPath): string {
  if (!value.isWellFormed()) throw notCanonical(path, 'a string with a lone surrogate');
  return JSON.stringify(value);
}

/** Returns whether an object is plain, also if it comes from another realm (iframe, worker). */
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
