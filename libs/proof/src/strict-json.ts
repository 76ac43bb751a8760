import { fromUtf8 } from './bytes.ts';
import { ProofError } from './errors.ts';

/**
 * Maximum length of a JSON text in characters or bytes; longer texts are rejected without parsing.
 */
const MAX_JSON_LENGTH = 64 * 1024 * 1024;

// Matches a string, a number or a structural character. The pattern for strings is unrolled, so
// that long strings need no backtracking.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|-?\d[\d.eE+-]*/g;

// The same without what cannot name a member: embeddings are millions of numbers and commas.
const NAMING_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

// The only spelling of a number: 1.0, 1e0 and -0 are read as 1 and 0 by some parsers only.
const DIGITS = /^(?:0|[1-9]\d*)$/;

// Matches a control character that is escaped in upper-case hexadecimal, which is a second spelling
// of the same text.
const UPPERCASE_ESCAPE = /(?:^|[^\\])(?:\\\\)*\\u00[01][A-F]/;

/**
 * Parses JSON like JSON.parse, but rejects texts that two parsers could read differently or that
 * have a second spelling: an object with duplicate members (parsers use the first, the last, or
 * both), numbers with a sign, fraction or exponent, and control characters escaped in upper-case
 * hexadecimal (otherwise a byte of a compact certificate could be changed undetected). Throws
 * ProofError `not_json`, `duplicate_key` and `schema`.
 */
export function parseStrictJson(source: string | Uint8Array): unknown {
  const text = toText(source);
  const value = parseText(text);
  if (!isWritten(value, text)) rejectAmbiguousTokens(text, { isOwnFormat: true });
  return value;
}

/**
 * Parses JSON like JSON.parse, but rejects an object with duplicate members. Throws ProofError
 * `not_json` and `duplicate_key`.
 */
export function parseUniqueJson(source: string | Uint8Array): unknown {
  const text = toText(source);
  const value = parseText(text);
  if (!isWritten(value, text)) rejectAmbiguousTokens(text, { isOwnFormat: false });
  return value;
}

function toText(source: string | Uint8Array): string {
  if (source.length > MAX_JSON_LENGTH) {
    throw new ProofError('not_json', `the text is longer than ${MAX_JSON_LENGTH} characters`);
  }
  if (typeof source === 'string') return source;
  const text = fromUtf8(source);
  if (text === undefined) throw new ProofError('not_json', 'the text is not UTF-8');
  return text;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const detail = cause instanceof SyntaxError ? cause.message : 'it is nested too deep';
    throw new ProofError('not_json', `the text is not JSON: ${detail}`, { cause });
  }
}

/**
 * Maximum length of a text that is compared with what `JSON.stringify` writes: room for a
 * certificate, but not for a nesting that could overflow the stack.
 */
const MAX_COMPARED_LENGTH = 8 * 1024;

/**
 * Returns true if `text` is what `JSON.stringify` writes for its value. Such a text, which is usual
 * for certificates, has neither duplicate members nor upper-case escapes of control characters.
 */
function isWritten(value: unknown, text: string): boolean {
  if (text.length > MAX_COMPARED_LENGTH) return false;
  try {
    return JSON.stringify(value) === text;
  } catch {
    // Some engines cannot write as many levels as they read.
    return false;
  }
}

function rejectAmbiguousTokens(text: string, { isOwnFormat }: { isOwnFormat: boolean }): void {
  // For every container that is open, innermost last: the member names of an object, undefined for
  // an array.
  const openContainers: (Set<string> | undefined)[] = [];
  let lastString = '';
  for (const [token] of text.matchAll(isOwnFormat ? TOKEN : NAMING_TOKEN)) {
    if (token === '{') openContainers.push(new Set());
    else if (token === '[') openContainers.push(undefined);
    else if (token === '}' || token === ']') openContainers.pop();
    else if (token === ':') addMember(openContainers.at(-1), lastString);
    else if (token.startsWith('"')) {
      lastString = token;
      if (isOwnFormat && token.includes('\\') && UPPERCASE_ESCAPE.test(token)) {
        throw new ProofError('not_json', `the string ${token} escapes in upper-case hexadecimal`);
      }
    } else if (isOwnFormat && token !== ',' && !DIGITS.test(token)) {
      throw new ProofError('schema', `the number ${token} must be written in digits only`);
    }
  }
}

function addMember(members: Set<string> | undefined, token: string): void {
  const name = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  if (members?.has(name)) throw new ProofError('duplicate_key', `the member ${token} stands twice`);
  members?.add(name);
}
