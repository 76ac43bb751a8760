import type { Category } from '../span.ts';
import { isAustralianTaxId, isMedicareId } from './australia.ts';
import { isBrazilianId } from './brazil.ts';
import { isCanadianId } from './canada.ts';
import { isFinnishId } from './finland.ts';
import { isFrenchId } from './france.ts';
import { isGermanTaxId } from './germany.ts';
import { isAadhaar, isIndianTaxId } from './india.ts';
import { isItalianId } from './italy.ts';
import { isDutchId } from './netherlands.ts';
import { isPolishId } from './poland.ts';
import { isSouthAfricanId } from './south-africa.ts';
import { isSpanishId } from './spain.ts';
import { isSwedishId } from './sweden.ts';
import { isTurkishId } from './turkey.ts';
import { isNationalInsuranceNumber, isNhsNumber } from './united-kingdom.ts';
import { isSocialSecurityNumber } from './united-states.ts';

const BY_DIGITS: readonly ((digits: string) => boolean)[] = [
  isAustralianTaxId,
  isMedicareId,
  isBrazilianId,
  isCanadianId,
  isDutchId,
  isFrenchId,
  isGermanTaxId,
  isAadhaar,
  isNhsNumber,
  isPolishId,
  isSocialSecurityNumber,
  isSouthAfricanId,
  isSwedishId,
  isTurkishId,
];

/** True if the digits are valid in any country. Needs a cue to be conclusive. */
export function isNationalDigits(digits: string): boolean {
  return BY_DIGITS.some((fits) => fits(digits));
}

/** Classifies a token with letters by its form and check character, without a cue. */
export function nationalTokenCategory(token: string): Category | undefined {
  if (token.length === 9) {
    return isSpanishId(token) || isNationalInsuranceNumber(token) ? 'NATIONAL_ID' : undefined;
  }
  if (token.length === 16) return isItalianId(token) ? 'NATIONAL_ID' : undefined;
  if (token.length === 11) return isFinnishId(token) ? 'NATIONAL_ID' : undefined;
  return token.length === 10 && isIndianTaxId(token) ? 'TAX_ID' : undefined;
}
