import { isAlnum, isDigit } from './char-class.ts';
import { findCue } from './find-cue.ts';
import { type DigitGroups, groupEnd, groupLength, numberOf } from './digit-groups.ts';
import { skipTo, type Found, found } from './scan.ts';

const DOT = 0x2e;

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
  const isRange = tail === 0x2d && groups.separator[4] === DOT && groups.separator[6] === DOT;
  const isPartOfLongerToken =
    (tail === DOT || tail === 0x2d) && isAlnum(text.charCodeAt(end + 1)) && !isRange;
  const isJoined = start > 0 && joinsAddress(text, start);
  if (isPartOfLongerToken || isJoined || isReservedAddress(octets) || isVersion(text, start))
    return skipTo(end);
  return found(start, end, 'IP');
}

/** Returns true for five pairs of digits, which are a French phone number: `06.12.34.56.78`. */
function isDottedPairs(groups: DigitGroups): boolean {
  if (groups.separator[3] !== DOT || groups.separator[4] === DOT) return false;
  for (let i = 0; i < 5; i++) if (groupLength(groups, i) !== 2) return false;
  return true;
}

/**
 * Returns true for addresses that are not personal data: loopback, unspecified addresses, netmasks,
 * networks, and the documentation ranges of RFC 5737.
 */
export function isReservedAddress(octets: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  // Section numbers, object identifiers and public resolvers consist of small numbers only:
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
  return (
    (charBefore === 0x20 || charBefore === 0x3d || charBefore === 0x2f) &&
    findCue(text, start) === 'version'
  );
}

function joinsAddress(text: string, start: number): boolean {
  const c = text.charCodeAt(start - 1);
  if (c === 0x2d && /\d\.\d{1,3}$/.test(text.slice(Math.max(0, start - 7), start - 1)))
    return false;
  return c === DOT || c === 0x2d || c === 0x5f || isDigit(c);
}
