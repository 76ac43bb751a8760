import { isRandom } from '../secret/secret-value.ts';
import { isAlnum, isAsciiLetter } from './char-class.ts';

const DUMMY_PASSWORD =
  /^(?:\$\{?\w+\}?|<[^<>]*>|\{\{?\w+\}?\}|pass(?:word|wd)?|pwd|secret|word|%\w|x+|\*+|\.+)$/i;
const MAX_SCHEME = 20;
const MAX_URL = 2_048;
const MAX_AUTHORITY = 512;

type Url = {
  start: number;
  end: number;
  atSign?: number;
  credentials?: { start: number; end: number };
};

/**
 * Finds the URL around the `://` at `colon`. A URL inside another one ends at `outerEnd`, the end
 * of the outer URL.
 */
export function findUrl(text: string, colon: number, outerEnd: number = 0): Url | undefined {
  const floor = Math.max(0, colon - MAX_SCHEME);
  let start = colon;
  while (start > floor && isScheme(text.charCodeAt(start - 1))) start--;
  while (start < colon && !isAsciiLetter(text.charCodeAt(start))) start++;
  if (start === colon) return undefined;
  const end = colon < outerEnd ? outerEnd : urlEnd(text, colon + 3);
  if (end <= colon + 3) return undefined;
  const atSign = findAtSign(text, colon + 3, end);
  if (atSign === 0) return { start, end };
  const userInfo = { start: colon + 3, end: atSign };
  return containsSecret(text.slice(userInfo.start, atSign))
    ? { start, end, atSign, credentials: userInfo }
    : { start, end, atSign };
}

function findAtSign(text: string, start: number, end: number): number {
  let atSign = 0;
  const stop = Math.min(end, start + MAX_AUTHORITY);
  for (let i = start; i < stop; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x2f || c === 0x3f || c === 0x23) break;
    if (c === 0x40) atSign = i;
  }
  return atSign;
}

/**
 * Returns true if the user information has a password, or a token in place of a user name, but not
 * for `${USER}:${PASS}`.
 */
function containsSecret(userInfo: string): boolean {
  const colon = userInfo.indexOf(':');
  if (colon < 0) return isRandom(userInfo);
  const password = userInfo.slice(colon + 1);
  return password !== '' && !DUMMY_PASSWORD.test(password);
}

export function urlEnd(text: string, from: number): number {
  const stop = Math.min(text.length, from + MAX_URL);
  let i = from;
  while (i < stop && !endsUrl(text.charCodeAt(i))) i++;
  while (i > from && isTrailing(text.charCodeAt(i - 1))) i--;
  return i;
}

function endsUrl(c: number): boolean {
  if (c <= 0x20 || c === 0x22 || c === 0x3c || c === 0x3e || c === 0x60) return true;
  return c === 0x7c || c === 0x5c || c === 0xa0 || (c >= 0x3000 && c <= 0x3020) || c === 0xff0c;
}

function isTrailing(c: number): boolean {
  if (c === 0x2e || c === 0x2c || c === 0x3b || c === 0x3a || c === 0x21 || c === 0x3f) return true;
  return c === 0x29 || c === 0x5d || c === 0x7d || c === 0x27 || c === 0x2a;
}

function isScheme(c: number): boolean {
  return isAlnum(c) || c === 0x2b || c === 0x2d || c === 0x2e;
}
