import { sha256 as sha256InJs } from '@noble/hashes/sha2.js';
import { CATEGORIES } from '../span.ts';
import type { Category } from '../span.ts';
import { isAsciiLetter } from '../structured/char-class.ts';

/** Prefix of a placeholder name: a category, or LITERAL for escaped lookalikes. */
export type NameKind = Category | 'LITERAL';

export type MaskedValue = {
  value: string;
  /**
   * Original text of the value within a JSON string, if `JSON.stringify` would write it
   * differently.
   */
  json?: string | undefined;
  /** True for a JSON number, whose placeholder is in quotes; restoring it removes the quotes. */
  isNumber?: boolean | undefined;
};

export type PlaceholderTable = {
  find(name: string): MaskedValue | undefined;
  names(): Iterable<string>;
  readonly size: number;
  /**
   * True if JSON numbers were masked. Restoring their placeholders removes the quotes around them.
   */
  readonly hasNumbers: boolean;
};

export function openPlaceholderTable(
  entries: Iterable<readonly [name: string, masked: MaskedValue]>,
): PlaceholderTable {
  const byName = new Map(entries);
  return {
    find: (name) => byName.get(name),
    names: () => byName.keys(),
    size: byName.size,
    hasNumbers: [...byName.values()].some(({ isNumber }) => isNumber === true),
  };
}

export type Sha256 = (data: Uint8Array) => Uint8Array;

/**
 * Creates an empty table. The first spelling of a value gets the plain name and further spellings
 * get the suffixes `_2`, `_3` ..., so that the model sees that they are one value and each spelling
 * is restored exactly.
 */
export function createPlaceholderTable(key: Uint8Array, sha256: Sha256 = sha256InJs) {
  const byName = new Map<string, MaskedValue>();
  const nameBySpelling = new Map<string, string>();
  const nameByValue = new Map<string, { name: string; spellings: number }>();
  const reserved = new Set<string>();
  let candidates: ReturnType<typeof createNameCandidates> | undefined;
  let hasNumbers = false;

  const isFree = (name: string): boolean => !byName.has(name) && !reserved.has(name);

  function newName(kind: NameKind, value: string): string {
    const normalised = kind === 'LITERAL' ? value : normaliseValue(kind, value);
    const identity = `${kind}\0${normalised}`;
    const entry = nameByValue.get(identity);
    if (entry !== undefined) {
      entry.spellings += 1;
      return `${entry.name}_${entry.spellings}`;
    }
    candidates ??= createNameCandidates(key, sha256);
    const names = candidates(kind, normalised);
    let { value: name } = names.next();
    while (!isFree(name)) name = names.next().value;
    nameByValue.set(identity, { name, spellings: 1 });
    return name;
  }

  return {
    /**
     * Returns the placeholder name of a value: always the same name for one kind and spelling, and
     * a different name for any other kind or spelling.
     */
    nameOf(kind: NameKind, masked: MaskedValue): string {
      const spelling = spellingOf(kind, masked);
      const knownName = nameBySpelling.get(spelling);
      if (knownName !== undefined) return knownName;
      const name = newName(kind, masked.value);
      nameBySpelling.set(spelling, name);
      byName.set(name, masked);
      hasNumbers ||= masked.isNumber === true;
      return name;
    },
    /** Prevents `nameOf` from choosing a name that occurs literally in the text. */
    reserve: (name: string): void => void reserved.add(name),
    find: (name: string): MaskedValue | undefined => byName.get(name),
    names: (): Iterable<string> => byName.keys(),
    get size() {
      return byName.size;
    },
    get hasNumbers() {
      return hasNumbers;
    },
  };
}

function spellingOf(kind: NameKind, { value, json, isNumber }: MaskedValue): string {
  const encoding = isNumber === true ? 'number' : json === undefined ? '' : 'json';
  return [kind, encoding, json ?? '', value].join('\0');
}

/** Number of base32 characters of the hash in a placeholder name; 6 characters are 30 bits. */
const ID_LENGTH = 6;
const CHAR_BITS = 5;
const ID_BITS = ID_LENGTH * CHAR_BITS;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Returns a function that yields candidate names for a value. The first is `KIND_` and six base32
 * characters (RFC 4648) of HMAC-SHA256(key, kind NUL value). Later candidates are used when earlier
 * ones are already taken.
 */
function createNameCandidates(key: Uint8Array, sha256: Sha256) {
  const digest = createHmac(key, sha256);
  return function* candidates(kind: NameKind, value: string): Generator<string, never> {
    for (let pass = 0; ; pass += 1) {
      const message = pass === 0 ? `${kind}\0${value}` : `${kind}\0${value}\0${pass}`;
      const bytes = digest(message);
      for (let bitOffset = 0; bitOffset + ID_BITS <= bytes.length * 8; bitOffset += ID_BITS)
        yield `${kind}_${base32At(bytes, bitOffset)}`;
    }
  };
}

function base32At(bytes: Uint8Array, firstBit: number): string {
  let text = '';
  for (let bitOffset = firstBit; bitOffset < firstBit + ID_BITS; bitOffset += CHAR_BITS) {
    const pair = ((bytes[bitOffset >> 3] ?? 0) << 8) | (bytes[(bitOffset >> 3) + 1] ?? 0);
    text += BASE32.charAt((pair >> (16 - CHAR_BITS - (bitOffset & 7))) & 31);
  }
  return text;
}

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/**
 * Returns HMAC-SHA-256 (RFC 2104) under a key as two hashes, because `createHmac` of Node takes
 * several times as long for a short text.
 */
function createHmac(key: Uint8Array, sha256: Sha256): (text: string) => Uint8Array {
  const shortKey = key.length > BLOCK_BYTES ? sha256(key) : key;
  const encoder = new TextEncoder();
  const pad = (byte: number, length: number): Uint8Array => {
    const padded = new Uint8Array(BLOCK_BYTES + length);
    for (let i = 0; i < BLOCK_BYTES; i += 1) padded[i] = (shortKey[i] ?? 0) ^ byte;
    return padded;
  };
  let inner = pad(0x36, 4 * HASH_BYTES);
  const outer = pad(0x5c, HASH_BYTES);
  return (text) => {
    const lengthMax = BLOCK_BYTES + 3 * text.length;
    if (inner.length < lengthMax) inner = pad(0x36, 3 * text.length);
    const { written } = encoder.encodeInto(text, inner.subarray(BLOCK_BYTES));
    outer.set(sha256(inner.subarray(0, BLOCK_BYTES + written)), BLOCK_BYTES);
    return sha256(outer);
  };
}

type NameRange = { start: number; end: number; name: string; inBrackets: boolean };

const NAME_KINDS: readonly NameKind[] = [...CATEGORIES, 'LITERAL'];
const UNDERSCORE = 95;
const BACKSLASH = 92;

/**
 * Finds every range that `restore` could take for a placeholder, in upper or lower case and with
 * any brackets. May find more ranges than `restore` replaces, but never fewer.
 */
export function findLookalikes(text: string): NameRange[] {
  const found: NameRange[] = [];
  for (let offset = text.indexOf('_'); offset >= 0; offset = text.indexOf('_', offset + 1)) {
    const end = offset + 1 + ID_LENGTH;
    if (end > text.length || !isId(text, offset + 1, end)) continue;
    for (const kind of NAME_KINDS) {
      const start = startOfKind(text, kind, offset);
      if (start < 0) continue;
      const name = `${kind}_${text.slice(offset + 1, end).toUpperCase()}`;
      found.push({ start, end, name, inBrackets: hasBrackets(text, start, end) });
    }
  }
  return found;
}

function isId(text: string, start: number, end: number): boolean {
  for (let offset = start; offset < end; offset += 1) {
    const unit = text.charCodeAt(offset);
    if (!isAsciiLetter(unit) && (unit < 50 || unit > 55)) return false;
  }
  return true;
}

function startOfKind(text: string, kind: string, underscore: number): number {
  let offset = skipBackslashes(text, underscore) - 1;
  for (let index = kind.length - 1; index >= 0; index -= 1, offset -= 1) {
    const unit = text.charCodeAt(offset);
    const expectedUnit = kind.charCodeAt(index);
    if (expectedUnit === UNDERSCORE) {
      if (unit !== UNDERSCORE) return -1;
      offset = skipBackslashes(text, offset);
    } else if (unit >= 128 || (unit & ~32) !== expectedUnit) return -1;
  }
  return offset + 1;
}

/**
 * Returns the offset of the backslashes before an underscore, or of the underscore if there are
 * none. Markdown escapes the underscore, and JSON escapes that backslash.
 */
function skipBackslashes(text: string, underscore: number): number {
  let offset = underscore;
  while (underscore - offset < 2 && text.charCodeAt(offset - 1) === BACKSLASH) offset -= 1;
  return offset;
}

function hasBrackets(text: string, start: number, end: number): boolean {
  return text.startsWith('[[', start - 2) && start >= 2 && text.startsWith(']]', end);
}

type Normaliser = (value: string) => string;

const normaliseText: Normaliser = (value) =>
  fold(value).replaceAll(/\s+/g, ' ').trim().toLowerCase();

/** Makes `john_smith` equal to John Smith, because a participant name contains no spaces. */
const normalisePerson: Normaliser = (value) => normaliseText(value.replaceAll(/[_-]+/g, ' '));

const normaliseDigits: Normaliser = (value) => fold(value).replaceAll(/\P{Nd}+/gu, '');

const normaliseCode: Normaliser = (value) =>
  fold(value)
    .replaceAll(/[^\p{L}\p{Nd}]+/gu, '')
    .toUpperCase();

function fold(value: string): string {
  return value.normalize('NFKC');
}

const keepUnchanged: Normaliser = (value) => value;

const NORMALISERS: Readonly<Record<Category, Normaliser>> = {
  PERSON: normalisePerson,
  EMAIL: (value) => value.toLowerCase(),
  PHONE: normaliseDigits,
  ADDRESS: normaliseText,
  LOCATION: normaliseText,
  ORG: normaliseText,
  DATE_OF_BIRTH: normaliseText,
  NATIONAL_ID: normaliseCode,
  TAX_ID: normaliseCode,
  PASSPORT: normaliseCode,
  DRIVER_LICENSE: normaliseCode,
  CREDIT_CARD: normaliseDigits,
  IBAN: normaliseCode,
  BANK_ACCOUNT: normaliseCode,
  IP: (value) => value.toLowerCase(),
  MAC: normaliseCode,
  // Differences in case or punctuation make different values of these categories.
  URL_CREDENTIALS: keepUnchanged,
  CRYPTO: keepUnchanged,
  SECRET: keepUnchanged,
};

/**
 * Returns the same text for spellings that differ only in what the category ignores, such as case
 * or punctuation. Not empty for a non-empty value.
 */
export function normaliseValue(category: Category, value: string): string {
  const bareValue = withoutBrackets(value);
  const normalised = NORMALISERS[category](bareValue);
  return normalised === '' ? bareValue : normalised;
}

function withoutBrackets(value: string): string {
  let margin = 0;
  while (value.charAt(margin) === '[' && value.charAt(value.length - 1 - margin) === ']')
    margin += 1;
  return value.length > 2 * margin ? value.slice(margin, value.length - margin) : value;
}
