import { isAlnum, isDigit } from './char-class.ts';
import { findCue } from './find-cue.ts';
import { gapEnd, isGroupMark } from './digit-groups.ts';
import { type Found, found } from './scan.ts';

/** Length of an IBAN by country (ISO 13616), also of countries that are not in the registry. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  `AD24 AE23 AL28 AO25 AT20 AZ28 BA20 BE16 BF28 BG22 BH22 BI27 BJ28 BR29 BY28 CF27 CG27 CH21 CI28
   CM27 CR22 CV25 CY28 CZ24 DE22 DJ27 DK18 DO28 DZ26 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GA27 GB22
   GE22 GI23 GL18 GQ27 GR27 GT28 GW25 HN28 HR21 HU28 IE22 IL23 IQ23 IR26 IS26 IT27 JO30 KM27 KW30
   KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MA28 MC27 MD24 ME22 MG27 MK19 ML28 MN20 MR27 MT31 MU30
   MZ25 NE28 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19
   SK24 SM27 SN28 SO23 ST25 SV28 TD27 TG28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .trim()
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const MIN_LENGTH = 14;
const MAX_LENGTH = 34;

/**
 * Finds an IBAN with or without spaces, by its check digits and length or after the cue "IBAN".
 * Accepts wrong check digits, which typing errors cause, in an IBAN of the right length with at
 * least 18 characters, capitals only, and mostly digits.
 */
export function findIban(text: string, start: number): Found | undefined {
  if (start + 4 > text.length || !isDigit(text.charCodeAt(start + 3))) return undefined;
  if (!isDigit(text.charCodeAt(start + 2)) || isDigit(text.charCodeAt(start))) return undefined;
  const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  // Tries with and without groups of letters: bank codes consist of letters (`GB33 BUKB 2020 ...`),
  // but so do words after the number.
  const withLetterGroups = readFours(text, start, { length, hasLetterGroups: true });
  if (withLetterGroups.compact.length === length && isMod97(withLetterGroups.compact))
    return found(start, withLetterGroups.end, 'IBAN');
  const { compact, end } = readFours(text, start, { length, hasLetterGroups: false });
  if (compact.length === length && isMod97(compact)) return found(start, end, 'IBAN');
  if (compact.length === length && isMostlyDigits(compact)) return found(start, end, 'IBAN');
  const irregular = irregularEnd(text, start, length);
  if (irregular !== 0) return found(start, irregular, 'IBAN');
  const longest = compact.length < MIN_LENGTH ? withLetterGroups : { compact, end };
  if (longest.compact.length < MIN_LENGTH || findCue(text, start) !== 'iban') return undefined;
  return found(start, longest.end, 'IBAN');
}

/** Verifies the check digits of an IBAN without spaces (ISO 7064). */
function isMod97(compact: string): boolean {
  const moved = compact.slice(4) + compact.slice(0, 4);
  let remainder = 0;
  for (let i = 0; i < moved.length; i++) {
    const c = moved.charCodeAt(i);
    remainder = isDigit(c)
      ? (remainder * 10 + c - 0x30) % 97
      : (remainder * 100 + (c | 0x20) - 0x57) % 97;
  }
  return remainder === 1;
}

function isMostlyDigits(compact: string): boolean {
  if (compact.length < 18 || compact !== compact.toUpperCase()) return false;
  const digits = compact.slice(2).replace(/\D/g, '').length;
  return digits * 4 >= (compact.length - 2) * 3;
}

function irregularEnd(text: string, start: number, length: number): number {
  let compact = '';
  let digits = 0;
  let i = start;
  while (compact.length < length) {
    const c = text.charCodeAt(i);
    if (isAlnum(c)) {
      compact += text.charAt(i);
      if (isDigit(c)) digits++;
      i++;
      continue;
    }
    const next = gapEnd(text, i);
    if (next === i || !isAlnum(text.charCodeAt(next))) return 0;
    i = next;
  }
  if (isAlnum(text.charCodeAt(i)) || digits * 2 < length) return 0;
  return isMod97(compact) ? i : 0;
}

type Groups = { length: number; hasLetterGroups: boolean };

function readFours(
  text: string,
  start: number,
  { length, hasLetterGroups }: Groups,
): { compact: string; end: number } {
  let compact = '';
  let i = start;
  let end = start;
  while (compact.length < MAX_LENGTH) {
    let run = i;
    while (run - i <= MAX_LENGTH && isAlnum(text.charCodeAt(run))) run++;
    const isGroup = compact === '' || hasLetterGroups || hasDigit(text, i, run);
    if (run === i || !isGroup) break;
    compact += text.slice(i, run);
    end = run;
    if (run - i !== 4 || !isGroupMark(text.charCodeAt(run)) || compact.length >= length) break;
    i = run + 1;
  }
  return { compact, end };
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (isDigit(text.charCodeAt(i))) return true;
  return false;
}
