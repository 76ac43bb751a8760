import type { Category } from '../span.ts';
import { digitAt, weightedSum, isLuhn, isMonthDayAt } from './check-digit.ts';

const DIGIT_VALIDATORS: readonly ((digits: string) => boolean)[] = [
  isAustralianTfn,
  isAustralianMedicareNumber,
  isBrazilianCpf,
  isCanadianSin,
  isDutchBsn,
  isFrenchNir,
  isGermanTaxId,
  isAadhaar,
  isNhsNumber,
  isPolishPesel,
  isSocialSecurityNumber,
  isSouthAfricanIdentityNumber,
  isSwedishPersonnummer,
  isTurkishIdentityNumber,
];

/**
 * Returns true if the digits are a valid identity number of any supported country. Random digits
 * can match, so use it only after a cue.
 */
export function isNationalDigits(digits: string): boolean {
  return DIGIT_VALIDATORS.some((isValid) => isValid(digits));
}

/**
 * Returns the category of an identity number with letters, judged by its form and, if it has one,
 * its check character.
 */
export function nationalTokenCategory(token: string): Category | undefined {
  if (token.length === 9) {
    return isSpanishDniOrNie(token) || isBritishNino(token) ? 'NATIONAL_ID' : undefined;
  }
  if (token.length === 16) return isItalianCodiceFiscale(token) ? 'NATIONAL_ID' : undefined;
  if (token.length === 11) return isFinnishHenkilotunnus(token) ? 'NATIONAL_ID' : undefined;
  return token.length === 10 && isIndianPan(token) ? 'TAX_ID' : undefined;
}

export function isAustralianTfn(value: string): boolean {
  if (!/^\d{8,9}$/.test(value) || /^0+$/.test(value)) return false;
  const weights = value.length === 9 ? [1, 4, 3, 7, 5, 8, 6, 9, 10] : [10, 7, 8, 4, 6, 3, 5, 1];
  return weightedSum(value, weights) % 11 === 0;
}

export function isAustralianMedicareNumber(value: string): boolean {
  if (!/^[2-6]\d{9,10}$/.test(value)) return false;
  return weightedSum(value, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digitAt(value, 8);
}

export function isBrazilianCpf(value: string): boolean {
  if (!/^\d{11}$/.test(value) || new Set(value).size === 1) return false;
  const first = checkDigit(weightedSum(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]));
  const second = checkDigit(weightedSum(value, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]));
  return first === digitAt(value, 9) && second === digitAt(value, 10);
}

function checkDigit(sum: number): number {
  const rest = (sum * 10) % 11;
  return rest === 10 ? 0 : rest;
}

export function isCanadianSin(value: string): boolean {
  return /^[0-79]\d{8}$/.test(value) && value !== '000000000' && isLuhn(value);
}

const CHECK_CHARS = '0123456789ABCDEFHJKLMNPRSTUVWXY';

export function isFinnishHenkilotunnus(value: string): boolean {
  const parts = /^(\d{2})(\d{2})(\d{2})[-+A-FU-Y](\d{3})([0-9A-Y])$/.exec(value.toUpperCase());
  if (parts === null) return false;
  const [, day = '', month = '', year = '', number = '', check = ''] = parts;
  if (Number(day) < 1 || Number(day) > 31 || Number(month) < 1 || Number(month) > 12) return false;
  return CHECK_CHARS[Number(day + month + year + number) % 31] === check;
}

export function isFrenchNir(value: string): boolean {
  if (!/^[1-478]\d{14}$/.test(value)) return false;
  const month = Number(value.slice(3, 5));
  if (month < 1 || (month > 12 && month < 20)) return false;
  return 97 - (Number(value.slice(0, 13)) % 97) === Number(value.slice(13));
}

export function isGermanTaxId(value: string): boolean {
  if (!/^[1-9]\d{10}$/.test(value)) return false;
  const repeated = 10 - new Set(value.slice(0, 10)).size;
  if (repeated < 1 || repeated > 2) return false;
  let product = 10;
  for (let i = 0; i < 10; i++) {
    const sum = (digitAt(value, i) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(value, 10);
}

const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

export function isAadhaar(value: string): boolean {
  if (!/^[2-9]\d{11}$/.test(value)) return false;
  let check = 0;
  for (let i = 0; i < 12; i++) {
    let digit = digitAt(value, 11 - i);
    for (let repetition = 0; repetition < i % 8; repetition++) digit = PERMUTATION[digit] ?? 0;
    check = dihedralProduct(check, digit);
  }
  return check === 0;
}

/** Checks the form of a PAN. Its fourth letter must be a known type of holder. */
export function isIndianPan(value: string): boolean {
  return /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/.test(value);
}

function dihedralProduct(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : ((a + b - 5) % 5) + 5;
  return b < 5 ? ((a - 5 - b + 5) % 5) + 5 : (a - b + 5) % 5;
}

const ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];
const PATTERN =
  /^[A-Z]{6}[\dLMNPQRSTUV]{2}[A-EHLMPRST][\dLMNPQRSTUV]{2}[A-Z][\dLMNPQRSTUV]{3}[A-Z]$/;

export function isItalianCodiceFiscale(value: string): boolean {
  const id = value.toUpperCase();
  if (!PATTERN.test(id)) return false;
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const c = id.charCodeAt(i);
    const order = c <= 0x39 ? c - 0x30 : c - 0x41;
    sum += i % 2 === 0 ? (ODD_VALUES[order] ?? 0) : order;
  }
  return sum % 26 === id.charCodeAt(15) - 0x41;
}

export function isDutchBsn(value: string): boolean {
  if (!/^\d{9}$/.test(value) || value === '000000000') return false;
  return weightedSum(value, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
}

/** Checks the date and the check digit. The month also encodes the century. */
export function isPolishPesel(value: string): boolean {
  if (!/^\d{11}$/.test(value)) return false;
  const month = Number(value.slice(2, 4)) % 20;
  const day = Number(value.slice(4, 6));
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  const sum = weightedSum(value, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
  return (10 - (sum % 10)) % 10 === digitAt(value, 10);
}

export function isSouthAfricanIdentityNumber(value: string): boolean {
  return /^\d{10}[012]\d{2}$/.test(value) && isMonthDayAt(value, 2, 4) && isLuhn(value);
}

const CHECK_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

export function isSpanishDniOrNie(value: string): boolean {
  const id = value.toUpperCase();
  if (!/^[XYZ\d]\d{7}[A-Z]$/.test(id)) return false;
  const digits = id.slice(0, 8).replace('X', '0').replace('Y', '1').replace('Z', '2');
  return CHECK_LETTERS[Number(digits) % 23] === id[8];
}

/** Checks the date and the check digit. In a samordningsnummer 60 is added to the day. */
export function isSwedishPersonnummer(value: string): boolean {
  if (!/^(?:\d{10}|(?:19|20)\d{10})$/.test(value)) return false;
  const tenDigits = value.slice(-10);
  const day = Number(tenDigits.slice(4, 6));
  const withCalendarDay =
    day > 60 ? tenDigits.slice(0, 4) + String(day - 60).padStart(2, '0') : tenDigits;
  return isMonthDayAt(withCalendarDay, 2, 4) && isLuhn(tenDigits);
}

export function isTurkishIdentityNumber(value: string): boolean {
  if (!/^[1-9]\d{10}$/.test(value)) return false;
  const odd = weightedSum(value, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weightedSum(value, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return tenth === digitAt(value, 9) && (odd + even + tenth) % 10 === digitAt(value, 10);
}

const UNUSED_PREFIXES = new Set(['BG', 'GB', 'KN', 'NK', 'NT', 'TN', 'ZZ']);

export function isBritishNino(value: string): boolean {
  if (!/^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(value)) return false;
  return !UNUSED_PREFIXES.has(value.slice(0, 2));
}

export function isNhsNumber(value: string): boolean {
  if (!/^\d{10}$/.test(value)) return false;
  const check = 11 - (weightedSum(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return check !== 10 && check % 11 === digitAt(value, 9);
}

export function isSocialSecurityNumber(value: string): boolean {
  if (!/^\d{9}$/.test(value)) return false;
  const area = Number(value.slice(0, 3));
  const group = Number(value.slice(3, 5));
  if (area === 0 || area === 666 || group === 0 || value.endsWith('0000')) return false;
  if (area < 900) return true;
  return (
    (group >= 50 && group <= 65) || (group >= 70 && group <= 99 && group !== 89 && group !== 93)
  );
}
