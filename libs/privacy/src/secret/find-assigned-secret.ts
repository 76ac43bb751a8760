import { charTest, isLetter, isUnspacedScript } from '../structured/char-class.ts';
import { type Found, found } from '../structured/scan.ts';
import { hashOf, wordHash } from '../structured/word-hash.ts';
import {
  bareValueEnd,
  isRandom,
  isDummyValue,
  KEY_QUALIFIERS,
  PASSWORD_WORDS,
  SECRET_WORDS,
} from './secret-value.ts';

const isBlank = charTest(' \t');
const isQuote = charTest(`"'\``);
/** Tests for the marks between a key and its colon or equals sign. */
const isAfterKey = charTest(` \t"'\`\\*]`);
const isWordJoiner = charTest('_- .');
const MAX_WORD = 24;
const MAX_VALUE = 256;
const KEY = wordHash('key');
const SCHEME = /^(?:bearer|basic|token|apikey|key|digest|negotiate) +/i;
const KEY_LAST_CHARS: ReadonlySet<number> = new Set(
  'ntyrlshdNTYRLSHD|'.split('').map((char) => char.charCodeAt(0)),
);
/**
 * Text before the colon in the line that `go test` prints for a passed test; not the key of a
 * password.
 */
const TEST_PASSED = '--- PASS';
const DEFAULT_PASSWORDS =
  /^(?:postgres|password|passwort|minioadmin|wordpress|rabbitmq|required|disabled)$/;

/** Finds the value after the `:` or `=` at `offset` if its key names a password or a secret. */
export function findAssignedSecret(text: string, offset: number): Found | undefined {
  const kind = keyKind(text, offset);
  if (kind === undefined || text.startsWith(TEST_PASSED, offset - TEST_PASSED.length))
    return undefined;
  let i = offset + 1;
  if (text.charCodeAt(i) === 0x3d || text.charCodeAt(i) === 0x3e) i++;
  while (i < offset + 8 && (isBlank(text.charCodeAt(i)) || text.charCodeAt(i) === 0x2a)) i++;
  const isEscaped = text.charCodeAt(i) === 0x5c;
  if (isEscaped) i++;
  const quote = quoteAt(text, i);
  const start = schemeEnd(text, quote === 0 ? i : i + 1, kind);
  const isQuery = text.charCodeAt(offset) === 0x3d;
  const end =
    quote === 0 ? bareValueEnd(text, start, isQuery) : quotedEnd(text, { start, quote, isEscaped });
  const value = text.slice(start, end);
  if (value.length < 4 || isDummyValue(value)) return undefined;
  if (kind === 'secret') {
    const isBearerToken = start > i + 1 && value.length >= 20 && !/\s/.test(value);
    return isRandom(value) || isBearerToken ? found(start, end, 'SECRET') : undefined;
  }
  const isPlainWord = quote === 0 && !hasSymbolOrDigit(value) && !isSetting(text, offset, value);
  // In `"PWD=" + dir`, the quote closes the key, and the value is an expression.
  const isClosed = quote !== 0 && text.charCodeAt(end) === quote;
  if (isPlainWord || (!isClosed && /^[(+]/.test(value))) return undefined;
  return found(start, end, 'SECRET');
}

const FILTER_SIZE = 4_096;
const FILTER: Uint8Array = createFilter();

function createFilter(): Uint8Array {
  const table = new Uint8Array(FILTER_SIZE);
  for (const hash of [...PASSWORD_WORDS, ...SECRET_WORDS, KEY]) table[hash & (FILTER_SIZE - 1)] = 1;
  return table;
}

function schemeEnd(text: string, start: number, kind: 'password' | 'secret'): number {
  if (kind === 'password') return start;
  return start + (SCHEME.exec(text.slice(start, start + 14))?.[0].length ?? 0);
}

/**
 * Returns true for an environment variable whose value is a lower-case word, as in
 * `PASSWORD=correcthorse`. Code and prose rarely contain this form, so the value is probably a real
 * password.
 */
function isSetting(text: string, offset: number, value: string): boolean {
  const key = text.charCodeAt(offset - 1);
  const isUpperCaseKey = text.charCodeAt(offset) === 0x3d && key >= 0x41 && key <= 0x5a;
  return isUpperCaseKey && /^[a-z]{8,}$/.test(value) && !DEFAULT_PASSWORDS.test(value);
}

/** Finds a value directly after its name without `:` or `=`: `--token x`, `| Password | x |`. */
export function findNamedSecret(text: string, start: number): Found | undefined {
  const charBefore = text.charCodeAt(start - 1);
  if (charBefore === 0x20 && !KEY_LAST_CHARS.has(text.charCodeAt(start - 2))) return undefined;
  const isTag = charBefore === 0x3e;
  const isCell = charBefore === 0x20 && text.charCodeAt(start - 2) === 0x7c;
  const kind = keyKind(text, isTag ? start - 1 : isCell ? start - 2 : start);
  if (kind === undefined) return undefined;
  const end = bareValueEnd(text, start, isTag);
  const value = text.slice(start, end);
  if (isDummyValue(value)) return undefined;
  const isValid =
    kind === 'secret' || !(isTag || isCell || isOption(text, start))
      ? isRandom(value) && kind === 'secret'
      : value.length >= 6 && /[^\d.]/.test(value);
  return isValid ? found(start, end, 'SECRET') : undefined;
}

function isOption(text: string, start: number): boolean {
  return / --[a-z-]{4,20}[ =]$/.test(` ${text.slice(Math.max(0, start - 26), start)}`);
}

function keyKind(text: string, offset: number): 'password' | 'secret' | undefined {
  const end = keyWordEnd(text, offset);
  if (end < 0) return undefined;
  const start = keyWordStart(text, end);
  const hash = hashOf(text, start, end);
  if (FILTER[hash & (FILTER_SIZE - 1)] === 0) return undefined;
  if (PASSWORD_WORDS.has(hash)) return 'password';
  if (SECRET_WORDS.has(hash)) return 'secret';
  if (hash !== KEY) return undefined;
  const wordEnd = isWordJoiner(text.charCodeAt(start - 1)) ? start - 1 : start;
  const kind = hashOf(text, keyWordStart(text, wordEnd), wordEnd);
  return KEY_QUALIFIERS.has(kind) ? 'secret' : undefined;
}

function keyWordEnd(text: string, offset: number): number {
  let end = offset;
  while (end > offset - 5 && end > 0) {
    if (!isAfterKey(text.charCodeAt(end - 1))) break;
    end--;
  }
  return end > 0 && isLetter(text.charCodeAt(end - 1)) ? end : -1;
}

function keyWordStart(text: string, end: number): number {
  const floor = Math.max(0, end - MAX_WORD);
  let i = end;
  let nextChar = 0;
  while (i > floor) {
    const c = text.charCodeAt(i - 1);
    if (!isLetter(c) || isCamelCaseBoundary(c, nextChar)) break;
    if (i <= end - 2 && isUnspacedScript(nextChar)) break;
    nextChar = c;
    i--;
  }
  return i;
}

function quoteAt(text: string, offset: number): number {
  const c = text.charCodeAt(offset);
  return isQuote(c) ? c : 0;
}

/**
 * Returns the end offset of a quoted value. If the opening quote is escaped (JSON within a string),
 * so is the closing one; otherwise an escaped quote is part of the value. Without a closing quote,
 * the value ends as if it were not quoted.
 */
function quotedEnd(
  text: string,
  { start, quote, isEscaped }: { start: number; quote: number; isEscaped: boolean },
): number {
  const stop = Math.min(text.length, start + MAX_VALUE);
  for (let i = start; i < stop; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x0a) break;
    if (c === 0x5c && text.charCodeAt(i + 1) === quote) {
      if (isEscaped) return i;
      i++;
    } else if (c === quote) return i;
  }
  return bareValueEnd(text, start, false);
}

function hasSymbolOrDigit(value: string): boolean {
  return /\d/.test(value) || /[^\p{L}.()[\]_-]/u.test(value);
}

function isCamelCaseBoundary(charBefore: number, charAfter: number): boolean {
  return charBefore >= 0x61 && charBefore <= 0x7a && charAfter >= 0x41 && charAfter <= 0x5a;
}

const ANNOUNCEMENT = /([\p{L}]{3,16}) (?:is|was|ist|lautet|es|est|è|é) $/u;
const MAX_DISTANCE = 26;

/**
 * Finds the value at `start` after words such as `password is`, if it contains a digit and other
 * characters, or after words such as `token is`, if it looks random.
 */
export function findSentencePassword(text: string, start: number): Found | undefined {
  const verbEnd = text.charCodeAt(start - 2);
  if (verbEnd !== 0x73 && verbEnd !== 0x74 && verbEnd !== 0xe8 && verbEnd !== 0xe9)
    return undefined;
  const announced = ANNOUNCEMENT.exec(text.slice(Math.max(0, start - MAX_DISTANCE), start))?.[1];
  if (announced === undefined) return undefined;
  const hash = hashOf(announced, 0, announced.length);
  const isSecret = SECRET_WORDS.has(hash) || announced.toLowerCase() === 'key';
  if (!isSecret && !PASSWORD_WORDS.has(hash)) return undefined;
  const end = bareValueEnd(text, start, false);
  const value = text.slice(start, end);
  if (isSecret) return isRandom(value) ? found(start, end, 'SECRET') : undefined;
  const isPassword =
    value.length >= 6 && /\d/.test(value) && /[^\d.]/.test(value) && !isDummyValue(value);
  return isPassword ? found(start, end, 'SECRET') : undefined;
}
