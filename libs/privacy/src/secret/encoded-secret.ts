import { charTest, isAlnum, matchEnd } from '../structured/char-class.ts';
import { type Found, found } from '../structured/scan.ts';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const MAX_LABEL = 64;
const MAX_BODY = 16_384;
const isBlank = charTest(' \n\r');
const isBodyMark = charTest(':,-.\\+/=');

/**
 * Finds a PEM or PGP private key at `start`. It ends with its end line or, if there is none, with
 * the last character that a key may contain.
 */
export function findPrivateKey(text: string, start: number): Found | undefined {
  if (!text.startsWith(BEGIN, start)) return undefined;
  const label = text.slice(start + BEGIN.length, start + BEGIN.length + MAX_LABEL);
  const close = label.indexOf('-----');
  if (close < 0 || !label.slice(0, close).includes('PRIVATE KEY')) return undefined;
  const body = start + BEGIN.length + close + 5;
  const end = bodyEnd(text, body);
  if (!text.startsWith(END, end)) return found(start, end, 'SECRET');
  const stop = Math.min(text.length, end + END.length + MAX_LABEL);
  let i = end + END.length;
  while (i < stop && text.charCodeAt(i) !== 0x2d && text.charCodeAt(i) !== 0x0a) i++;
  while (i < stop && text.charCodeAt(i) === 0x2d) i++;
  return found(start, i, 'SECRET');
}

function bodyEnd(text: string, start: number): number {
  const stop = Math.min(text.length, start + MAX_BODY);
  let i = start;
  let end = start;
  for (; i < stop && !text.startsWith('-----', i); i++) {
    const c = text.charCodeAt(i);
    if (isBlank(c)) continue;
    if (!isAlnum(c) && !isBodyMark(c)) break;
    end = i + 1;
  }
  return text.startsWith('-----', i) ? i : end;
}

const MAX_PART = 8_192;
const PART = /[\w+/~-]{0,8192}/y;
const MIN_PART = 10;
const MIN_BEARER = 12;

/** Finds a JSON web token (RFC 7519), which starts with the encoded `{"` of its header. */
export function findWebToken(text: string, start: number): Found | undefined {
  if (!text.startsWith('eyJ', start)) return undefined;
  const header = matchEnd(text, start, PART);
  if (header - start < MIN_PART || text.charCodeAt(header) !== 0x2e) return undefined;
  const payload = matchEnd(text, header + 1, PART);
  if (payload - header < MIN_PART) return undefined;
  if (text.charCodeAt(payload) !== 0x2e) return found(start, payload, 'SECRET');
  let end = Math.max(payload, matchEnd(text, payload + 1, PART));
  // A signed token has three parts. An encrypted token has two more (RFC 7516).
  for (let part = 0; part < 2 && text.charCodeAt(end) === 0x2e; part++) {
    if (matchEnd(text, end + 1, PART) === end + 1) break;
    end = matchEnd(text, end + 1, PART);
  }
  return found(start, end, 'SECRET');
}

/** Finds credentials after `Bearer` or `Basic`, as in HTTP headers (RFC 6750, RFC 7617). */
export function findBearer(text: string, start: number): Found | undefined {
  const last = start > 1 ? text.charCodeAt(start - 2) | 0x20 : 0;
  if (last !== 0x72 && last !== 0x63) return undefined;
  const word = text.slice(Math.max(0, start - 7), start - 1).toLowerCase();
  if (word !== 'bearer' && !/^[^a-z]?basic$/.test(word)) return undefined;
  let end = matchEnd(text, start, PART);
  while (text.charCodeAt(end) === 0x2e && isAlnum(text.charCodeAt(end + 1))) {
    end = matchEnd(text, end + 1, PART);
    if (end - start > MAX_PART) break;
  }
  while (text.charCodeAt(end) === 0x3d && end - start < MAX_PART) end++;
  return end - start < MIN_BEARER ? undefined : found(start, end, 'SECRET');
}
