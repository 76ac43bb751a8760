import {
  charTest,
  isAlnum,
  isAsciiLetter,
  isDigit,
  isLetter,
  isNonAsciiLetter,
  isUnspacedScript,
  isZeroWidth,
} from './char-class.ts';
import { type Found, found } from './scan.ts';

const isLocalMark = charTest(`._%+-'`);
const MAX_LOCAL = 64;
const MAX_DOMAIN = 254;
const QUOTED = /"[A-Za-z0-9][\w. +-]*"$/;
const FILE_ENDINGS = new Set(['png', 'jpg', 'jpeg', 'gif', 'svg', 'webp', 'js', 'css', 'map']);

/**
 * Finds the e-mail address around the `@` at `offset`. Any script is accepted; zero-width
 * characters count as part of the address.
 */
export function findEmail(text: string, offset: number): Found | undefined {
  const start = localStart(text, offset);
  if (start === offset) return findQuotedEmail(text, offset);
  const end = domainEnd(text, offset + 1);
  if (end === 0) return undefined;
  // `git@host:path` is the address of a Git repository, not an e-mail address.
  if (text.charCodeAt(end) === 0x3a && text.startsWith('git', start) && offset - start === 3)
    return undefined;
  return found(start, end, 'EMAIL');
}

/** Finds an address with a quoted local part: `"john doe"@example.org` (RFC 5322). */
function findQuotedEmail(text: string, offset: number): Found | undefined {
  if (text.charCodeAt(offset - 1) !== 0x22 || !isAlnum(text.charCodeAt(offset - 2)))
    return undefined;
  const localPart = QUOTED.exec(text.slice(Math.max(0, offset - MAX_LOCAL), offset))?.[0];
  if (localPart === undefined) return undefined;
  const start = offset - localPart.length;
  const end = domainEnd(text, offset + 1);
  return end === 0 ? undefined : found(start, end, 'EMAIL');
}

function localStart(text: string, offset: number): number {
  const floor = Math.max(0, offset - MAX_LOCAL);
  let i = offset;
  while (i > floor && isLocalChar(text.charCodeAt(i - 1)) && !isScriptBoundary(text, i)) i--;
  while (i < offset && !isLetterOrDigit(text.charCodeAt(i)) && text.charCodeAt(i) !== 0x5f) i++;
  return i;
}

/**
 * Returns true where a script without spaces changes to Latin letters, because an address can start
 * there.
 */
function isScriptBoundary(text: string, i: number): boolean {
  return isUnspacedScript(text.charCodeAt(i - 1)) && isAsciiLetter(text.charCodeAt(i));
}

function isLocalChar(c: number): boolean {
  if (c >= 128) return isNonAsciiLetter(c) || isZeroWidth(c);
  return isAlnum(c) || isLocalMark(c);
}

function isLetterOrDigit(c: number): boolean {
  return isDigit(c) || isLetter(c);
}

function domainEnd(text: string, start: number): number {
  const stop = Math.min(text.length, start + MAX_DOMAIN);
  let end = 0;
  let i = start;
  let first = '';
  while (i < stop) {
    const from = i;
    const isAscii = !isUnspacedScript(text.charCodeAt(i));
    while (i < stop && isLabelChar(text.charCodeAt(i), isAscii)) i++;
    const label = trimmedEnd(text, from, i);
    if (label === from) break;
    if (from === start) first = text.slice(from, label);
    else if (isTopLevel(text, from, label)) end = label;
    if (label !== i || text.charCodeAt(i) !== 0x2e) break;
    i++;
  }
  const last = text.slice(text.lastIndexOf('.', end) + 1, end).toLowerCase();
  // `icon@2x.png` is a file.
  return /^\dx$/.test(first) && FILE_ENDINGS.has(last) ? 0 : end;
}

function isLabelChar(c: number, isAscii: boolean): boolean {
  if (c < 128) return isAlnum(c) || c === 0x2d || c === 0x5f;
  if (isZeroWidth(c)) return true;
  return isNonAsciiLetter(c) && !(isAscii && isUnspacedScript(c));
}

function trimmedEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && !isLetterOrDigit(text.charCodeAt(end - 1))) end--;
  return end;
}

function isTopLevel(text: string, from: number, to: number): boolean {
  if (text.startsWith('xn--', from)) return true;
  let letters = 0;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x30 && c <= 0x39) return false;
    if (!isZeroWidth(c)) letters++;
  }
  return letters >= 2 && letters <= 24;
}
