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
