import { charTest, isAlnum, isDigit, matchEnd } from './char-class.ts';
import { findCue } from './find-cue.ts';
import { type DigitGroups, groupEnd, groupLength, numberOf } from './digit-groups.ts';
import { skipTo, type Found, found } from './scan.ts';

const DOT = 0x2e;
const DASH = 0x2d;
const isBeforeVersion = charTest(` =/"'`);

export function findIpv4(text: string, groups: DigitGroups): Found | undefined {
  if (groups.count < 4) return undefined;
  const start = groups.start[0] ?? 0;
  const end = groupEnd(groups, 3);
  for (let i = 0; i < 4; i++) {
    if (groupLength(groups, i) > 3 || (i < 3 && groups.separator[i] !== DOT)) return undefined;
  }
  const octets: number[] = [];
  for (let i = 0; i < 4; i++) {
    const octet = numberOf(text, groups, i);
    if (!(octet <= 255)) return undefined;
    octets.push(octet);
  }
  const tail = text.charCodeAt(end);
  if (isDottedPairs(groups) || text.charCodeAt(start - 1) === 0x2b) return undefined;
  const isRange = tail === DASH && groups.separator[4] === DOT && groups.separator[6] === DOT;
  const isPartOfLongerToken =
    (tail === DOT || tail === DASH) && isAlnum(text.charCodeAt(end + 1)) && !isRange;
  const isJoined = start > 0 && joinsAddress(text, start);
  if (isPartOfLongerToken || isJoined || isReservedAddress(octets) || isVersion(text, start))
    return skipTo(end);
  return found(start, end, 'IP');
}

/** Returns true for five pairs of digits, as in a French phone number: `06.12.34.56.78`. */
function isDottedPairs(groups: DigitGroups): boolean {
  if (groups.separator[3] !== DOT || groups.separator[4] === DOT) return false;
  for (let i = 0; i < 5; i++) if (groupLength(groups, i) !== 2) return false;
  return true;
}

/**
 * Returns true for addresses that are not personal data, such as loopback, unspecified addresses,
 * netmasks, networks, and the documentation ranges of RFC 5737.
 */
function isReservedAddress(octets: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  // Section numbers, object identifiers and public resolvers often consist of small numbers only:
  // 5.3.2.1, 8.8.8.8.
  if (a < 10 && b < 10 && c < 10 && d < 10) return true;
  if (a === 0 || (a === 127 && b === 0) || (a === 255 && (b === 255 || b === 0))) return true;
  if (d === 0 && c === 0 && b === 0) return true;
  if (a === 192 && b === 0 && c === 2) return true;
  if (a === 198 && b === 51 && c === 100) return true;
  return a === 203 && b === 0 && c === 113;
}

function isVersion(text: string, start: number): boolean {
  const charBefore = text.charCodeAt(start - 1);
  return isBeforeVersion(charBefore) && findCue(text, start) === 'version';
}

function joinsAddress(text: string, start: number): boolean {
  const c = text.charCodeAt(start - 1);
  if (c === DASH && /\d\.\d{1,3}$/.test(text.slice(Math.max(0, start - 7), start - 1)))
    return false;
  return c === DOT || c === DASH || c === 0x5f || isDigit(c);
}

const COLON = 0x3a;
const MAX_IPV6 = 45;
/** Matches one character more than an address may have. */
const IPV6_CHARS = /[\da-f:.]{0,46}/iy;
const NON_HEX_WORD = /[g-z]\w*$/i;

export function findIpv6(text: string, start: number): Found | undefined {
  const charBefore = text.charCodeAt(start - 1);
  if (start > 0 && (isAlnum(charBefore) || charBefore === 0x5f)) return undefined;
  if (charBefore === COLON && !isAfterKey(text, start - 1)) return undefined;
  const end = addressEnd(text, start);
  if (!mayBeIpv6(text, start, end)) return undefined;
  if (isAlnum(text.charCodeAt(end)) || end - start > MAX_IPV6) return undefined;
  const value = text.slice(start, end).toLowerCase();
  if (!isIpv6(value)) return undefined;
  if (value === '::' || value === '::1' || value.startsWith('2001:db8:')) return skipTo(end);
  return found(start, end, 'IP');
}

/** Returns true if the text before the colon looks like a key, as in `ip:2a00:1450::200e`. */
function isAfterKey(text: string, colon: number): boolean {
  const c = text.charCodeAt(colon - 1) | 0x20;
  return (
    (c >= 0x67 && c <= 0x7a) ||
    text.charCodeAt(colon - 1) === 0x22 ||
    NON_HEX_WORD.test(text.slice(Math.max(0, colon - 12), colon))
  );
}

function addressEnd(text: string, start: number): number {
  let end = matchEnd(text, start, IPV6_CHARS);
  while (end > start && (text.charCodeAt(end - 1) === DOT || isLoneColon(text, start, end))) end--;
  return end;
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
 * Returns true for an IPv6 address. A short form other than `::` and `::1` must have a digit and a
 * group of at least three characters, because `a::b` is an identifier in programs.
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

const MAC_LENGTH = 17;
const MAC = /[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}/iy;
const DOTTED = /^(?=.*[a-f])[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}$/i;

/** Finds a hardware address of six pairs; longer sequences are fingerprints. */
export function findMac(text: string, start: number): Found | undefined {
  const separator = text.charCodeAt(start + 2);
  if (separator !== COLON && separator !== DASH) return undefined;
  const charBefore = text.charCodeAt(start - 1);
  if (start > 0 && isAlnum(charBefore)) return undefined;
  if (charBefore === separator && !(separator === 0x3a && isAfterKey(text, start - 1)))
    return undefined;
  const end = start + MAC_LENGTH;
  if (matchEnd(text, start, MAC) !== end) return undefined;
  const charAfter = text.charCodeAt(end);
  if (isAlnum(charAfter) || (charAfter === separator && isAlnum(text.charCodeAt(end + 1))))
    return undefined;
  const value = text.slice(start, end).toLowerCase();
  if (/^[0:-]+$/.test(value) || /^[f:-]+$/.test(value)) return skipTo(end);
  return found(start, end, 'MAC');
}

/** Finds a hardware address in the notation of some routers: `001a.2b3c.4d5e`. */
export function findDottedMac(text: string, start: number): Found | undefined {
  if (text.charCodeAt(start + 4) !== DOT || text.charCodeAt(start + 9) !== DOT) return undefined;
  const value = text.slice(start, start + 14);
  const charBefore = text.charCodeAt(start - 1);
  if (charBefore === DOT || charBefore === DASH || !DOTTED.test(value)) return undefined;
  const charAfter = text.charCodeAt(start + 14);
  if (isAlnum(charAfter) || (charAfter === DOT && isAlnum(text.charCodeAt(start + 15))))
    return undefined;
  return found(start, start + 14, 'MAC');
}
