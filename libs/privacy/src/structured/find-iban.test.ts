import { describe, expect, it } from '@jest/globals';
import { detectStructured } from '../detect-structured.ts';

/** Examples from the ISO 13616 registry, with letters at different positions. */
const EXAMPLES = [
  'BG80BNBG96611020345678',
  'CH9300762011623852957',
  'DE89370400440532013000',
  'FR1420041010050500013M02606',
  'GB33BUKB20201555555555',
  'IE29AIBK93115212345678',
  'LV80BANK0000435195001',
  'MT84MALT011000012345MTLCAST001S',
  'NL91ABNA0417164300',
  'NO9386011117947',
  'RO49AAAA1B31007593840000',
  'SC18SSCB11010000000000001497USD',
  'UA213223130000026007233566001',
];

const found = (text: string): string[] =>
  detectStructured(text).map(({ start, end, category }) => `${category} ${text.slice(start, end)}`);

describe('an IBAN', () => {
  it.each(EXAMPLES)('%s is found with and without spaces', (iban) => {
    const fours = iban.replaceAll(/(.{4})(?=.)/g, '$1 ');
    expect(found(`Pay ${iban} now, and ${fours}.`)).toEqual([`IBAN ${iban}`, `IBAN ${fours}`]);
  });

  it('does not include the words after it', () => {
    expect(found('DE89 3704 0044 0532 0130 00 will take this')).toEqual([
      'IBAN DE89 3704 0044 0532 0130 00',
    ]);
    expect(found('NL91 ABNA 0417 1643 00 from here')).toEqual(['IBAN NL91 ABNA 0417 1643 00']);
  });

  it('with a typing error is found after its cue', () => {
    expect(found('IBAN: GB33 BUKB 2020 1555 5555 5')).toEqual(['IBAN GB33 BUKB 2020 1555 5555 5']);
    expect(found('see GB33 then some text that goes on')).toEqual([]);
  });
});
