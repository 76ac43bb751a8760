import { describe, expect, it } from '@jest/globals';
import { isAustralianTaxId, isMedicareId } from './australia.ts';
import { isBrazilianId } from './brazil.ts';
import { isCanadianId } from './canada.ts';
import { isFinnishId } from './finland.ts';
import { isFrenchId } from './france.ts';
import { isGermanTaxId } from './germany.ts';
import { isAadhaar, isIndianTaxId } from './india.ts';
import { isItalianId } from './italy.ts';
import { isNationalDigits, nationalTokenCategory } from './national-id.ts';
import { isDutchId } from './netherlands.ts';
import { isPolishId } from './poland.ts';
import { isSouthAfricanId } from './south-africa.ts';
import { isSpanishId } from './spain.ts';
import { isSwedishId } from './sweden.ts';
import { isTurkishId } from './turkey.ts';
import { isNationalInsuranceNumber, isNhsNumber } from './united-kingdom.ts';
import { isSocialSecurityNumber } from './united-states.ts';

/** Published examples, each with an invalid variant. */
const EXAMPLES: readonly (readonly [
  string,
  (id: string) => boolean,
  right: string,
  wrong: string,
])[] = [
  ['Spanish DNI', isSpanishId, '12345678Z', '12345678A'],
  ['Spanish NIE', isSpanishId, 'X1234567L', 'X1234567A'],
  ['Italian codice fiscale', isItalianId, 'RSSMRA85T10A562S', 'RSSMRA85T10A562A'],
  ['Polish PESEL', isPolishId, '44051401359', '44051401358'],
  ['German tax number', isGermanTaxId, '86095742719', '86095742718'],
  ['Aadhaar', isAadhaar, '234123412346', '234123412347'],
  ['Indian PAN', isIndianTaxId, 'ABCPE1234F', 'ABCXE1234F'],
  ['Finnish henkilötunnus', isFinnishId, '131052-308T', '131052-308U'],
  ['Swedish personnummer', isSwedishId, '8112289874', '8112289875'],
  ['Turkish number', isTurkishId, '10000000146', '10000000147'],
  ['South African number', isSouthAfricanId, '8001015009087', '8001015009088'],
  ['Canadian SIN', isCanadianId, '046454286', '046454287'],
  ['Australian TFN', isAustralianTaxId, '123456782', '123456783'],
  ['Australian Medicare', isMedicareId, '2123456701', '2123456711'],
  ['British NINO', isNationalInsuranceNumber, 'AB123456C', 'GB123456C'],
  ['NHS number', isNhsNumber, '9434765919', '9434765918'],
  ['American SSN', isSocialSecurityNumber, '078051120', '666051120'],
  ['American ITIN', isSocialSecurityNumber, '912701234', '912451234'],
  ['Brazilian CPF', isBrazilianId, '52998224725', '52998224726'],
  ['French NIR', isFrenchId, '255081416802538', '255081416802539'],
  ['Dutch BSN', isDutchId, '111222333', '111222334'],
];

describe('national numbers', () => {
  it.each(EXAMPLES)('distinguishes a valid %s from an invalid one', (_name, fits, right, wrong) => {
    expect(fits(right)).toBe(true);
    expect(fits(wrong)).toBe(false);
  });

  it('recognizes digits of any country, and tokens with letters by their length', () => {
    expect(isNationalDigits('8001015009087')).toBe(true);
    expect(isNationalDigits('8001015009088')).toBe(false);
    expect(nationalTokenCategory('ABCPE1234F')).toBe('TAX_ID');
    expect(nationalTokenCategory('12345678Z')).toBe('NATIONAL_ID');
    expect(nationalTokenCategory('12345678A')).toBeUndefined();
  });
});
