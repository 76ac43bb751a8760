import { describe, expect, it } from '@jest/globals';
import {
  isAustralianTfn,
  isAustralianMedicareNumber,
  isNationalDigits,
  nationalTokenCategory,
  isBrazilianCpf,
  isCanadianSin,
  isFinnishHenkilotunnus,
  isFrenchNir,
  isGermanTaxId,
  isAadhaar,
  isIndianPan,
  isItalianCodiceFiscale,
  isDutchBsn,
  isPolishPesel,
  isSouthAfricanIdentityNumber,
  isSpanishDniOrNie,
  isSwedishPersonnummer,
  isTurkishIdentityNumber,
  isBritishNino,
  isNhsNumber,
  isSocialSecurityNumber,
} from './national-id.ts';

/** Published examples, each with an invalid variant. */
const EXAMPLES: readonly (readonly [
  string,
  (id: string) => boolean,
  right: string,
  wrong: string,
])[] = [
  ['Spanish DNI', isSpanishDniOrNie, '12345678Z', '12345678A'],
  ['Spanish NIE', isSpanishDniOrNie, 'X1234567L', 'X1234567A'],
  ['Italian codice fiscale', isItalianCodiceFiscale, 'RSSMRA85T10A562S', 'RSSMRA85T10A562A'],
  ['Polish PESEL', isPolishPesel, '44051401359', '44051401358'],
  ['German tax number', isGermanTaxId, '86095742719', '86095742718'],
  ['Aadhaar', isAadhaar, '234123412346', '234123412347'],
  ['Indian PAN', isIndianPan, 'ABCPE1234F', 'ABCXE1234F'],
  ['Finnish henkilötunnus', isFinnishHenkilotunnus, '131052-308T', '131052-308U'],
  ['Swedish personnummer', isSwedishPersonnummer, '8112289874', '8112289875'],
  ['Turkish number', isTurkishIdentityNumber, '10000000146', '10000000147'],
  ['South African number', isSouthAfricanIdentityNumber, '8001015009087', '8001015009088'],
  ['Canadian SIN', isCanadianSin, '046454286', '046454287'],
  ['Australian TFN', isAustralianTfn, '123456782', '123456783'],
  ['Australian Medicare', isAustralianMedicareNumber, '2123456701', '2123456711'],
  ['British NINO', isBritishNino, 'AB123456C', 'GB123456C'],
  ['NHS number', isNhsNumber, '9434765919', '9434765918'],
  ['American SSN', isSocialSecurityNumber, '078051120', '666051120'],
  ['American ITIN', isSocialSecurityNumber, '912701234', '912451234'],
  ['Brazilian CPF', isBrazilianCpf, '52998224725', '52998224726'],
  ['French NIR', isFrenchNir, '255081416802538', '255081416802539'],
  ['Dutch BSN', isDutchBsn, '111222333', '111222334'],
];

describe('national numbers', () => {
  it.each(EXAMPLES)(
    'distinguishes a valid %s from an invalid one',
    (_name, isValid, right, wrong) => {
      expect(isValid(right)).toBe(true);
      expect(isValid(wrong)).toBe(false);
    },
  );

  it('accepts digits of any country, and classifies tokens with letters by their length', () => {
    expect(isNationalDigits('8001015009087')).toBe(true);
    expect(isNationalDigits('8001015009088')).toBe(false);
    expect(nationalTokenCategory('ABCPE1234F')).toBe('TAX_ID');
    expect(nationalTokenCategory('12345678Z')).toBe('NATIONAL_ID');
    expect(nationalTokenCategory('12345678A')).toBeUndefined();
  });
});
