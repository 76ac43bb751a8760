import { isAlnum, isDigit } from './char-class.ts';
import { findCue } from './find-cue.ts';
import { type Found, found } from './scan.ts';

/** The length of an IBAN by country (ISO 13616 registry). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20
   EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30
   KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24
   PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22
   VG24 XK20`
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
    const parted = text.charCodeAt(run) === 0x20 || text.charCodeAt(run) === 0x2d;
    if (run - i !== 4 || !parted || compact.length >= length) break;
    i = run + 1;
  }
  return { compact, end };
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (isDigit(text.charCodeAt(i))) return true;
  return false;
}
