import { isAlnum, isHex } from './char-class.ts';
import { skipTo, type Found, found } from './scan.ts';

const COLON = 0x3a;
const MAX_LENGTH = 45;
const NON_HEX_WORD = /[g-z]\w*$/i;

export function findIpv6(text: string, start: number): Found | undefined {
  const charBefore = text.charCodeAt(start - 1);
  if (start > 0 && (isAlnum(charBefore) || charBefore === 0x5f)) return undefined;
  if (charBefore === COLON && !isAfterKey(text, start - 1)) return undefined;
  const end = addressEnd(text, start);
  if (!mayBeIpv6(text, start, end)) return undefined;
  if (isAlnum(text.charCodeAt(end)) || end - start > MAX_LENGTH) return undefined;
  const value = text.slice(start, end).toLowerCase();
  if (!isIpv6(value)) return undefined;
  if (value === '::' || value === '::1' || value.startsWith('2001:db8:')) return skipTo(end);
  return found(start, end, 'IP');
}

/** Returns true if the text before the colon is a key, as in `ip:2a00:1450::200e`. */
export function isAfterKey(text: string, colon: number): boolean {
  const c = text.charCodeAt(colon - 1) | 0x20;
  return (
    (c >= 0x67 && c <= 0x7a) ||
    text.charCodeAt(colon - 1) === 0x22 ||
    NON_HEX_WORD.test(text.slice(Math.max(0, colon - 12), colon))
  );
}

function addressEnd(text: string, start: number): number {
  const stop = Math.min(text.length, start + MAX_LENGTH + 1);
  let i = start;
  while (i < stop) {
    const c = text.charCodeAt(i);
    if (!isHex(c) && c !== COLON && c !== 0x2e) break;
    i++;
  }
  while (i > start && (text.charCodeAt(i - 1) === 0x2e || isLoneColon(text, start, i))) i--;
  return i;
}

function isLoneColon(text: string, start: number, end: number): boolean {
  return (
    text.charCodeAt(end - 1) === COLON && end - 2 >= start && text.charCodeAt(end - 2) !== COLON
  );
}

/**
 * Returns false for texts with too few colons, such as most times of day, to avoid the full check.
 */
function mayBeIpv6(text: string, start: number, end: number): boolean {
  let colons = 0;
  for (let i = start; i < end; i++) {
    if (text.charCodeAt(i) !== COLON) continue;
    if (++colons === 6) return true;
    if (i + 1 < end && text.charCodeAt(i + 1) === COLON) return true;
  }
  return false;
}

/**
 * Returns true for an IPv6 address. A short form must have a digit and a long group, because `a::b`
 * is an identifier in programs.
 */
function isIpv6(value: string): boolean {
  const halves = value.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const ipv4Count = last.includes('.') ? 1 : 0;
  if (ipv4Count === 1 && !/^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(last)) return false;
  const hexGroups = ipv4Count === 1 ? groups.slice(0, -1) : groups;
  if (!hexGroups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return false;
  const size = groups.length + ipv4Count;
  // Eight groups of two digits are a hardware address or a fingerprint, not an IPv6 address.
  if (halves.length === 1) return size === 8 && hexGroups.some((group) => group.length !== 2);
  if (value === '::' || value === '::1') return true;
  return (
    size < 8 &&
    groups.length >= 2 &&
    /\d/.test(value) &&
    hexGroups.some((group) => group.length >= 3)
  );
}
