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
  return write(value, []);
}

type Trail = (string | number)[];

function write(value: unknown, trail: Trail): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return writeNumber(value, trail);
  if (typeof value === 'string') return writeString(value, trail);
  if (typeof value !== 'object') throw refused(trail, `a ${typeof value}`);
  if (trail.length >= MAX_JSON_DEPTH) {
    throw new ProofError('too_deep', `the value has more than ${MAX_JSON_DEPTH} levels`);
  }
  return Array.isArray(value) ? writeArray(value, trail) : writeObject(value, trail);
}

function writeObject(value: object, trail: Trail): string {
  if (!isPlain(value)) throw refused(trail, 'an object that is not plain');
  const members = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(members).toSorted()) {
    const member = members[key];
    if (member === undefined) continue;
    trail.push(key);
    text += `${text === '' ? '' : ','}${writeString(key, trail)}:${write(member, trail)}`;
    trail.pop();
  }
  return `{${text}}`;
}

function writeArray(items: unknown[], trail: Trail): string {
  // A hole has no key, and a named property would be dropped silently.
  if (Object.keys(items).length !== items.length) throw refused(trail, 'a sparse array');
  let text = '';
  for (const [index, item] of items.entries()) {
    trail.push(index);
    text += `${index === 0 ? '' : ','}${write(item, trail)}`;
    trail.pop();
  }
  return `[${text}]`;
}

function writeNumber(value: number, trail: Trail): string {
  if (!Number.isFinite(value)) throw refused(trail, String(value));
  // Parsers with 64-bit integers and parsers with doubles would read different values.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw refused(trail, `the integer ${value}, which is beyond 2^53-1`);
  }
  return JSON.stringify(value);
}

function writeString(value: string, trail: Trail): string {
  if (!value.isWellFormed()) throw refused(trail, 'a string with a lone surrogate');
  return JSON.stringify(value);
}

/** Returns whether an object is plain, also if it comes from another realm (iframe, worker). */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refused(trail: Trail, what: string): ProofError {
  const path = ['$', ...trail].join('.');
  return new ProofError('not_canonical', `${path} is ${what}, which has no canonical text`);
}
