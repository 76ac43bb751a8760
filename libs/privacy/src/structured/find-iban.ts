import { isAlnum, isDigit } from './char-class.ts';
import { findCue } from './find-cue.ts';
import { gapEnd, isGroupMark } from './group-gap.ts';
import { type Found, found } from './scan.ts';

/** The length of an IBAN by country: the ISO 13616 registry, and African countries that use one. */
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
 * An IBAN at `start`, in one piece or in fours: by mod 97 and length, or after the word "IBAN".
 * With the length of its country and hardly a letter it is one even if mistyped.
 */
export function findIban(text: string, start: number): Found | undefined {
  if (start + 4 > text.length || !isDigit(text.charCodeAt(start + 3))) return undefined;
  if (!isDigit(text.charCodeAt(start + 2)) || isDigit(text.charCodeAt(start))) return undefined;
  const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  // Bank codes are letters (`GB33 BUKB 2020 ...`), but so are the words that follow a number.
  const whole = readFours(text, start, { length, hasLetterGroups: true });
  if (whole.compact.length === length && isMod97(whole.compact))
    return found(start, whole.end, 'IBAN');
  const { compact, end } = readFours(text, start, { length, hasLetterGroups: false });
  if (compact.length === length && isMod97(compact)) return found(start, end, 'IBAN');
  if (compact.length === length && isWritten(compact)) return found(start, end, 'IBAN');
  const free = freeEnd(text, start, length);
  if (free !== 0) return found(start, free, 'IBAN');
  const longest = compact.length < MIN_LENGTH ? whole : { compact, end };
  if (longest.compact.length < MIN_LENGTH || findCue(text, start) !== 'iban') return undefined;
  return found(start, longest.end, 'IBAN');
}

/** Whether an IBAN in one piece leaves 1 when divided by 97 (ISO 7064). */
export function isMod97(compact: string): boolean {
  const moved = compact.slice(4) + compact.slice(0, 4);
  let rest = 0;
  for (let i = 0; i < moved.length; i++) {
    const c = moved.charCodeAt(i);
    rest = isDigit(c) ? (rest * 10 + c - 0x30) % 97 : (rest * 100 + (c | 0x20) - 0x57) % 97;
  }
  return rest === 1;
}

/** Capitals, and at least three digits in four behind the country. */
function isWritten(compact: string): boolean {
  if (compact.length < 18 || compact !== compact.toUpperCase()) return false;
  const digits = compact.slice(2).replace(/\D/g, '').length;
  return digits * 4 >= (compact.length - 2) * 3;
}

/** Where an IBAN ends that is parted in any way, mostly digits and right by mod 97; or 0. */
function freeEnd(text: string, start: number, length: number): number {
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
