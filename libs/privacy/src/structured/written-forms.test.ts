import { describe, expect, it } from '@jest/globals';
import { detectStructured } from '../detect-structured.ts';

const detected = (text: string): string[] =>
  detectStructured(text).map(({ start, end, category }) => `${category} ${text.slice(start, end)}`);

describe('detectStructured with forms that specifications allow', () => {
  it.each([
    ['spaces', 'DOB: 12. 3. 1985', '12. 3. 1985'],
    ['slashes with spaces', 'born 12 / 03 / 1985', '12 / 03 / 1985'],
    ['a short year', 'birthday 3/7/85', '3/7/85'],
    ['a short year after a month', 'geboren am 12-MAR-85', '12-MAR-85'],
    ['no gaps', 'date of birth=19850312', '19850312'],
    ['no day', 'born in March 1985', 'March 1985'],
    ['the year first', 'DOB 1985 March 12', '1985 March 12'],
    ['initials', 'D.O.B. 12/03/1985', '12/03/1985'],
    ['Polish', 'data urodzenia: 3 września 1990', '3 września 1990'],
    ['Finnish', 'syntymäaika 12. maaliskuuta 1985', '12. maaliskuuta 1985'],
    ['Turkish', 'doğum tarihi: 3 Ağustos 1990', '3 Ağustos 1990'],
    ['a column', 'id,dob,x\n1,Mar 12 1985,y', 'Mar 12 1985'],
  ])('finds a date of birth with %s', (_name, text, date) => {
    expect(detected(text)).toEqual([`DATE_OF_BIRTH ${date}`]);
  });

  it.each([
    ['French with dots', 'tel 06.12.34.56.78', '06.12.34.56.78'],
    ['a country in brackets', '(+49) 30 1234567', '(+49) 30 1234567'],
    ['an extension in words', '212-555-0187, ext. 45', '212-555-0187, ext. 45'],
    ['an extension of RFC 3966', '+12125550187;ext=12', '+12125550187;ext=12'],
    ['after a hash sign', 'phone #212-555-0187', '212-555-0187'],
    ['with an international prefix', 'call 011 44 20 7946 0018', '011 44 20 7946 0018'],
    ['a first group that looks like thousands', 'id,phone,x\n1,030 1234567,y', '030 1234567'],
    ['with dots and four short groups', '+226.70.12.34.56', '+226.70.12.34.56'],
  ])('finds a phone number: %s', (_name, text, phone) => {
    expect(detected(text)).toEqual([`PHONE ${phone}`]);
  });

  it.each([
    ['IBAN with irregular spaces', 'DE89 37040044 0532013000', 'IBAN DE89 37040044 0532013000'],
    ['IBAN with no-break spaces', 'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000', ''],
    ['IBAN across lines', 'DE89 3704 0044\r\n  0532 0130 00', ''],
    ['IBAN with figure spaces', 'DE89\u20073704\u20070044\u20070532\u20070130\u200700', ''],
    ['IBAN of Burundi', 'BI1320001100010000123456789', 'IBAN BI1320001100010000123456789'],
    ['card across lines', '4111 1111\n1111 1111', 'CREDIT_CARD 4111 1111\n1111 1111'],
    ['card in a quoted mail', '4111-1111-\n> 1111-1111', 'CREDIT_CARD 4111-1111-\n> 1111-1111'],
    [
      'card with one group on the first line',
      '4111\r\n1111 1111 1111',
      'CREDIT_CARD 4111\r\n1111 1111 1111',
    ],
    ['card of 15 digits across lines', '3782 822463\n10005', 'CREDIT_CARD 3782 822463\n10005'],
    [
      'card with thin spaces',
      '4111\u20091111\u20091111\u20091111',
      'CREDIT_CARD 4111\u20091111\u20091111\u20091111',
    ],
    ['card with its code', '4111 1111 1111 1111 123', 'CREDIT_CARD 4111 1111 1111 1111'],
    ['card of 13 digits', '4222222222222', 'CREDIT_CARD 4222222222222'],
    ['card of Mir', '2200 0000 0000 0053', 'CREDIT_CARD 2200 0000 0000 0053'],
    ['account in groups', 'account 2527 9792 0522', 'BANK_ACCOUNT 2527 9792 0522'],
    ['German bank', 'BLZ: 625 437 06', 'BANK_ACCOUNT 625 437 06'],
    ['Ripple', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'CRYPTO rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'],
    [
      'Solana after its name',
      'Solana wallet 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
      'CRYPTO 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
    ],
  ])('finds a financial identifier: %s', (_name, text, span) => {
    expect(detected(text)).toEqual([span === '' ? `IBAN ${text}` : span]);
  });

  it.each([
    ['American with no-break spaces', '536\u00a090\u00a04399', 'NATIONAL_ID 536\u00a090\u00a04399'],
    ['Spanish with a dash', 'at 12345678-Z', 'NATIONAL_ID 12345678-Z'],
    ['Spanish of a foreigner', 'at X-1234567-L', 'NATIONAL_ID X-1234567-L'],
    ['Spanish with dots', 'DNI 12.345.678-Z', 'NATIONAL_ID 12.345.678-Z'],
    ['British with two spaces', 'NINO AB 123456 C', 'NATIONAL_ID AB 123456 C'],
    ['British with dashes', 'AB-12-34-56-C', 'NATIONAL_ID AB-12-34-56-C'],
    ['an NHS number', 'NHS number: 943 476 5919', 'NATIONAL_ID 943 476 5919'],
    ['Swiss', 'at 756.9217.0769.85', 'NATIONAL_ID 756.9217.0769.85'],
    ['German insurance', 'SV-Nummer: 15 070649 C 103', 'NATIONAL_ID 15 070649 C 103'],
    ['Finnish, mistyped', 'HETU: 131052-308U', 'NATIONAL_ID 131052-308U'],
    ['Chinese', '身份证: 11010519491231002X', 'NATIONAL_ID 11010519491231002X'],
    ['Korean', '주민등록번호: 900101-1234568', 'NATIONAL_ID 900101-1234568'],
    ['Aadhaar, not a card', 'aadhaar card 234123412346', 'NATIONAL_ID 234123412346'],
    ['tax with a country code', 'USt-IdNr.: DE313076112', 'TAX_ID DE313076112'],
    ['tax with spaces', 'VAT: GB 272 7029 22', 'TAX_ID GB 272 7029 22'],
    ['Italian tax', 'P.IVA 50748254812', 'TAX_ID 50748254812'],
    ['passport of an Indian', 'passport: J 9298059', 'PASSPORT J 9298059'],
    ['passport in Polish', 'numer paszportu: AB5818472', 'PASSPORT AB5818472'],
    ['licence of an Indian', 'driving licence MH12 20110012345', 'DRIVER_LICENSE MH12 20110012345'],
  ])('finds an identity number: %s', (_name, text, span) => {
    expect(detected(text)).toEqual([span]);
  });

  it.each([
    ['IPv6 after a key', 'ip:2a00:1450:4001:81b::200e', ['IP 2a00:1450:4001:81b::200e']],
    ['MAC after a key', 'mac:ad:2c:ab:39:20:9d', ['MAC ad:2c:ab:39:20:9d']],
    ['MAC of a router', '001a.2b3c.4d5e', ['MAC 001a.2b3c.4d5e']],
    ['MAC without separators', 'MAC address: a4b1c2d3e4f5', ['MAC a4b1c2d3e4f5']],
    ['both ends of a range', '84.23.17.9-84.23.17.20', ['IP 84.23.17.9', 'IP 84.23.17.20']],
    ['mail in quotes', 'to "john doe"@example.com', ['EMAIL "john doe"@example.com']],
  ])('finds a network or e-mail address: %s', (_name, text, spans) => {
    expect(detected(text)).toEqual(spans);
  });

  it.each([
    ['an article number', 'EAN 4006381333931 and 4006381333931'],
    ['a hash', 'hex a4b1c2d3e4f5, tx 52908400098527886E0F7030069857D2E4169EE7'],
    ['an outline', '01.02.03.04 and 1.2.3.4.5'],
    ['a scope', '["x","@scope.io"] "a" "@foo.com"'],
    ['words after a country code', 'SE12 some words here that go on'],
    ['rows of numbers', '4111 1111\n1111 1111\n1111 2222, 1200 4111 1111\n1111 1111'],
    ['a column of numbers', '4111\n1111\n1111\n1111'],
    ['an order across lines', 'order 4111 1111\n1111 1111'],
    ['numbers with spaces', '536 90 4399, 000\u00a012\u00a03456'],
    ['a year', 'in March 2024, 20240312 rows, 12 / 03 / 1985'],
    ['an account of a cloud', 'account id 123456789012'],
  ])('finds nothing in %s', (_name, text) => {
    expect(detected(text)).toEqual([]);
  });
});
