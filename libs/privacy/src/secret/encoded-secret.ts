import { isAlnum } from '../structured/char-class.ts';
import { type Found, found } from '../structured/scan.ts';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const MAX_LABEL = 64;
const MAX_BODY = 16_384;

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
  while (i < stop && !text.startsWith('-----', i)) {
    const c = text.charCodeAt(i);
    const space = c === 0x20 || c === 0x0a || c === 0x0d;
    const header = c === 0x3a || c === 0x2c || c === 0x2d || c === 0x2e || c === 0x5c;
    if (!space && !header && !isAlnum(c) && c !== 0x2b && c !== 0x2f && c !== 0x3d) break;
    i++;
    if (!space) end = i;
  }
  return text.startsWith('-----', i) ? i : end;
}

const MAX_PART = 8_192;
const MIN_PART = 10;
const MIN_BEARER = 12;

/** Finds a JSON web token (RFC 7519), which starts with the encoded `{"` of its header. */
export function findWebToken(text: string, start: number): Found | undefined {
  if (!text.startsWith('eyJ', start)) return undefined;
  const header = partEnd(text, start);
  if (header - start < MIN_PART || text.charCodeAt(header) !== 0x2e) return undefined;
  const payload = partEnd(text, header + 1);
  if (payload - header < MIN_PART) return undefined;
  if (text.charCodeAt(payload) !== 0x2e) return found(start, payload, 'SECRET');
  let end = Math.max(payload, partEnd(text, payload + 1));
  // A signed token has three parts. An encrypted token has two more (RFC 7516).
  for (let part = 0; part < 2 && text.charCodeAt(end) === 0x2e; part++) {
    if (partEnd(text, end + 1) === end + 1) break;
    end = partEnd(text, end + 1);
  }
  return found(start, end, 'SECRET');
}

/** Finds credentials after `Bearer` or `Basic`, as in HTTP headers (RFC 6750, RFC 7617). */
export function findBearer(text: string, start: number): Found | undefined {
  const last = start > 1 ? text.charCodeAt(start - 2) | 0x20 : 0;
  if (last !== 0x72 && last !== 0x63) return undefined;
  const word = text.slice(Math.max(0, start - 7), start - 1).toLowerCase();
  if (word !== 'bearer' && !/^[^a-z]?basic$/.test(word)) return undefined;
  let end = partEnd(text, start);
  while (text.charCodeAt(end) === 0x2e && isAlnum(text.charCodeAt(end + 1))) {
    end = partEnd(text, end + 1);
    if (end - start > MAX_PART) break;
  }
  while (text.charCodeAt(end) === 0x3d && end - start < MAX_PART) end++;
  return end - start < MIN_BEARER ? undefined : found(start, end, 'SECRET');
}

function partEnd(text: string, start: number): number {
  const stop = Math.min(text.length, start + MAX_PART);
  let i = start;
  while (i < stop) {
    const c = text.charCodeAt(i);
    if (!isAlnum(c) && c !== 0x2d && c !== 0x5f && c !== 0x2b && c !== 0x2f && c !== 0x7e) break;
    i++;
  }
  return i;
}
