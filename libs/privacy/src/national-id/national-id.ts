import type { Category } from '../span.ts';
import { isAustralianTfn, isAustralianMedicareNumber } from './australia.ts';
import { isBrazilianCpf } from './brazil.ts';
import { isCanadianSin } from './canada.ts';
import { isFinnishHenkilotunnus } from './finland.ts';
import { isFrenchNir } from './france.ts';
import { isGermanTaxId } from './germany.ts';
import { isAadhaar, isIndianPan } from './india.ts';
import { isItalianCodiceFiscale } from './italy.ts';
import { isDutchBsn } from './netherlands.ts';
import { isPolishPesel } from './poland.ts';
import { isSouthAfricanIdentityNumber } from './south-africa.ts';
import { isSpanishDniOrNie } from './spain.ts';
import { isSwedishPersonnummer } from './sweden.ts';
import { isTurkishIdentityNumber } from './turkey.ts';
import { isBritishNino, isNhsNumber } from './united-kingdom.ts';
import { isSocialSecurityNumber } from './united-states.ts';

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
 * Returns the category of an identity number with letters, judged by its form and check character
 * alone.
 */
export function nationalTokenCategory(token: string): Category | undefined {
  if (token.length === 9) {
    return isSpanishDniOrNie(token) || isBritishNino(token) ? 'NATIONAL_ID' : undefined;
  }
  if (token.length === 16) return isItalianCodiceFiscale(token) ? 'NATIONAL_ID' : undefined;
  if (token.length === 11) return isFinnishHenkilotunnus(token) ? 'NATIONAL_ID' : undefined;
  return token.length === 10 && isIndianPan(token) ? 'TAX_ID' : undefined;
}
