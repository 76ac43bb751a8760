import { isRandom } from '../secret/secret-value.ts';
import { charTest, isAlnum, isAsciiLetter, matchEnd } from './char-class.ts';

const DUMMY_PASSWORD =
  /^(?:\$\{?\w+\}?|<[^<>]*>|\{\{?\w+\}?\}|pass(?:word|wd)?|pwd|secret|word|%\w|x+|\*+|\.+)$/i;
const MAX_SCHEME = 20;
/** Matches at most 2,048 characters of a URL and of the punctuation marks after it. */
// oxlint-disable-next-line no-control-regex
const URL_CHARS = /[^\u0000- "<>`|\\\u00a0\u3000-\u3020\uff0c]{0,2048}/y;
const isTrailingMark = charTest(`.,;:!?)]}'*`);
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
 * Returns true if the user information has a password, or a token in place of a user name. Returns
 * false for a dummy password, as in `${USER}:${PASS}`.
 */
function containsSecret(userInfo: string): boolean {
  const colon = userInfo.indexOf(':');
  if (colon < 0) return isRandom(userInfo);
  const password = userInfo.slice(colon + 1);
  return password !== '' && !DUMMY_PASSWORD.test(password);
}

export function urlEnd(text: string, from: number): number {
  let end = matchEnd(text, from, URL_CHARS);
  while (end > from && isTrailingMark(text.charCodeAt(end - 1))) end--;
  return end;
}

function isScheme(c: number): boolean {
  return isAlnum(c) || c === 0x2b || c === 0x2d || c === 0x2e;
}
