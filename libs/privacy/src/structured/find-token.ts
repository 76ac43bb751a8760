import { nationalTokenCategory } from './national-id.ts';
import { findNamedSecret, findSentencePassword } from '../secret/find-assigned-secret.ts';
import { findDottedKey, findKeyForm } from '../secret/key-form.ts';
import { findKnownKey } from '../secret/known-key.ts';
import { isRandom } from '../secret/secret-value.ts';
import { findBearer, findWebToken } from '../secret/encoded-secret.ts';
import { charTest, isAlnum, isDigit, isHex, LOWER, matchEnd, UPPER } from './char-class.ts';
import { findMisreadSsn, findSpacedNationalId } from './find-national-number.ts';
import { findCryptoAddress } from './find-crypto-address.ts';
import { findCue } from './find-cue.ts';
import { findCuedToken } from './find-cued-token.ts';
import { findIban } from './find-iban.ts';
import { findIpv6, findDottedMac, findMac } from './find-network-address.ts';
import { findHeaderCue } from './find-surrounding-cue.ts';
import { skipTo, type Found, found, type Scan } from './scan.ts';

/**
 * Minimum lengths: sequences of `LONG_DIGITS` digits are too long for cards, sequences of
 * `LONG_HEX` hex digits are hashes.
 */
const LONG_DIGITS = 20;
const LONG_HEX = 16;
const MIN_DIGITS = 4;
const MAX_ZIP_WORDS = 3;
/** Maximum length of a number that a cue identifies; longer tokens can only be wallet addresses. */
const MAX_CUED_LENGTH = 30;
const MAC_DIGITS = 12;
const MIN_SECRET = 6;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![A-Za-z\d])/iy;
const isJoinMark = charTest('-/.');
const COLON = 0x3a;
const DASH = 0x2d;
const DOT = 0x2e;

type Token = { start: number; end: number; flags: number };

/**
 * Classifies a word that contains a digit. Returns undefined if it does not recognize the word, and
 * a result without a category for a word that is not personal data.
 */
export function findToken(
  scan: Scan,
  start: number,
  end: number,
  flags: number,
): Found | undefined {
  const { text } = scan;
  const next = text.charCodeAt(end);
  const length = end - start;
  if (next === COLON && length <= 4) {
    const address = findMac(text, start) ?? findIpv6(text, start);
    if (address !== undefined) return address;
  }
  if (next === DASH) {
    const dashedToken = findDashed(text, start, length);
    if (dashedToken !== undefined) return dashedToken;
  }
  if (length === 4 && next === DOT) {
    const address = findDottedMac(text, start);
    if (address !== undefined) return address;
  }
  if ((flags & (LOWER | UPPER)) === 0) {
    if ((length === 2 || length === 6) && next === 0x20)
      return findSpacedNationalId(text, start - 3);
    return length >= LONG_DIGITS ? skipTo(end) : undefined;
  }
  return findMixed(scan, { start, end, flags });
}

function findDashed(text: string, start: number, length: number): Found | undefined {
  if (length === 8 && matchEnd(text, start, UUID) > start) return skipTo(start + 36);
  if (length === 2) return findMac(text, start) ?? findSpacedNationalId(text, start - 3);
  if (length === 3) return findMisreadSsn(text, start);
  return length === 6 ? findSpacedNationalId(text, start) : undefined;
}

function findMixed(scan: Scan, token: Token): Found | undefined {
  const { text } = scan;
  const { start, end } = token;
  const length = end - start;
  const key =
    findKnownKey(text, start) ??
    findDottedKey(text, start) ??
    findWebToken(text, start) ??
    findKeyForm(text, start, end);
  if (key !== undefined || start < scan.urlEnd) return key;
  const iban = length >= 4 ? findIban(text, start) : undefined;
  if (iban !== undefined) return iban;
  const charBefore = text.charCodeAt(start - 1);
  const secret =
    charBefore === 0x20 || charBefore === 0x3e ? findAnnouncedSecret(text, start, end) : undefined;
  if (secret !== undefined) return secret;
  const isHexToken = isAllHex(text, start, end);
  if (isHexToken && length === 40 && findCue(text, start) === 'wallet')
    return found(start, end, 'CRYPTO');
  if (isHexToken && length >= LONG_HEX) return skipTo(end);
  if (isHexToken && length === MAC_DIGITS && findCue(text, start) === 'mac')
    return found(start, end, 'MAC');
  const address = findCryptoAddress(text, start, end);
  if (address !== undefined) return address;
  if (length >= 9 && length <= 16) {
    const category = nationalTokenCategory(text.slice(start, end));
    if (category !== undefined && !isJoined(text, start, end)) return found(start, end, category);
  }
  return length > MAX_CUED_LENGTH ? findCuedWallet(scan, token) : findCued(scan, token);
}

function findCuedWallet({ text }: Scan, { start, end }: Token): Found | undefined {
  if (end - start > 110 || !isRandom(text.slice(start, end))) return undefined;
  return findCue(text, start) === 'wallet' ? found(start, end, 'CRYPTO') : undefined;
}

function findCued(scan: Scan, { start, end, flags }: Token): Found | undefined {
  const { text } = scan;
  if (end - start <= 4 && (flags & LOWER) === 0 && findCue(text, start, MAX_ZIP_WORDS) === 'zip') {
    return findZip(text, start, end);
  }
  const next = text.charCodeAt(end);
  const isContinued = next === DASH || (next === 0x20 && isDigit(text.charCodeAt(end + 1)));
  if (!isContinued && countDigits(text, start, end) < MIN_DIGITS) return undefined;
  return findCuedToken(text, start, findHeaderCue(scan, start) ?? findCue(text, start));
}

function countDigits(text: string, start: number, end: number): number {
  let digits = 0;
  for (let i = start; i < end; i++) if (isDigit(text.charCodeAt(i))) digits++;
  return digits;
}

function findAnnouncedSecret(text: string, start: number, end: number): Found | undefined {
  const secret = findBearer(text, start) ?? findSentencePassword(text, start);
  return secret ?? (end - start < MIN_SECRET ? undefined : findNamedSecret(text, start));
}

function findZip(text: string, start: number, end: number): Found | undefined {
  const second = text.slice(end, end + 4);
  const hasSecondPart = /^ \d[A-Za-z]\w/.test(second) && !isAlnum(text.charCodeAt(end + 4));
  return found(start, hasSecondPart ? end + 4 : end, 'ADDRESS');
}

function isAllHex(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (!isHex(text.charCodeAt(i))) return false;
  return true;
}

/** Returns true for parts of longer names (`item-12345678Z-2`), paths and hex numbers (`0x...`). */
function isJoined(text: string, start: number, end: number): boolean {
  const charBefore = text.charCodeAt(start - 1);
  const charAfter = text.charCodeAt(end);
  if (isJoinMark(charBefore) || isAlnum(charBefore)) return true;
  return (charAfter === DASH || charAfter === DOT) && isDigit(text.charCodeAt(end + 1));
}
