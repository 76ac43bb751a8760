import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { detectStructured } from './detect-structured.ts';

const detected = (text: string): string[] =>
  detectStructured(text).map(({ start, end, category }) => `${category} ${text.slice(start, end)}`);

describe('detectStructured', () => {
  it.each([
    [
      'an address in a sentence',
      'Write to ann.lee+x@mail.example.org.',
      ['EMAIL ann.lee+x@mail.example.org'],
    ],
    [
      'letters of other scripts',
      'paweł.nowak38@fastmail.com',
      ['EMAIL paweł.nowak38@fastmail.com'],
    ],
    [
      'zero-width marks inside',
      'a jo\u200bhn@ex\u200bample.com b',
      ['EMAIL jo\u200bhn@ex\u200bample.com'],
    ],
    ['Chinese around it', '请写信ann@a.com谢谢', ['EMAIL ann@a.com']],
    ['no image, handle or scope', 'icon@2x.png @handle user@host @a/b@1.2.3', []],
    ['no Git remote', 'git@github.com:a/b.git', []],
  ])('finds e-mail: %s', (_name, text, spans) => {
    expect(detected(text)).toEqual(spans);
  });

  it.each([
    [
      'North American',
      '(555) 234-5678, 555-234-5678 and 555.234.5678x99',
      ['(555) 234-5678', '555-234-5678', '555.234.5678x99'],
    ],
    [
      'international',
      '+44 20 7946 0958, +41 (0)69 979 80 58, +1 (503) 739-7127',
      ['+44 20 7946 0958', '+41 (0)69 979 80 58', '+1 (503) 739-7127'],
    ],
    [
      'national with a trunk zero',
      '020 7946 0958 or 01 23 45 67 89',
      ['020 7946 0958', '01 23 45 67 89'],
    ],
    ['after a cue', 'call 73 448 266', ['73 448 266']],
    [
      'before a cue',
      '92 34 70-Office\\,001-321-194-8268x44208-Fax',
      ['92 34 70', '001-321-194-8268x44208'],
    ],
    ['a list after a cue', 'call 555-1234 or 5551234567', ['555-1234', '5551234567']],
    ['an area in brackets', 'messages from (22) 154-300', ['(22) 154-300']],
    ['full-width digits', 'Call ４１５－５５５－２６７１', ['４１５－５５５－２６７１']],
    ['Japanese and Chinese', '電話：03-1234-5678 手机13812345678', ['03-1234-5678', '13812345678']],
  ])('finds phone numbers: %s', (_name, text, phones) => {
    expect(detected(text)).toEqual(phones.map((phone) => `PHONE ${phone}`));
  });

  it.each([
    [
      'cards by checksum',
      '4111 1111 1111 1111 and 378282246310005',
      ['CREDIT_CARD 4111 1111 1111 1111', 'CREDIT_CARD 378282246310005'],
    ],
    [
      'a mistyped card after its cue',
      'Card: 4000-0000-0102-4900',
      ['CREDIT_CARD 4000-0000-0102-4900'],
    ],
    [
      'IBANs with and without spaces',
      'GB29NWBK60161331926819, DE89 3704 0044 0532 0130 00',
      ['IBAN GB29NWBK60161331926819', 'IBAN DE89 3704 0044 0532 0130 00'],
    ],
    [
      'a mistyped IBAN after its cue',
      'IBAN FR20443443726423393145',
      ['IBAN FR20443443726423393145'],
    ],
    [
      'accounts after a cue',
      'account 12345678, sort code 12-34-56',
      ['BANK_ACCOUNT 12345678', 'BANK_ACCOUNT 12-34-56'],
    ],
    [
      'wallets',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      [
        'CRYPTO 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
        'CRYPTO bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      ],
    ],
    ['no wallet with a wrong letter', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', []],
    ['no card without its checksum', '4111 1111 1111 1112', []],
  ])('finds financial identifiers: %s', (_name, text, spans) => {
    expect(detected(text)).toEqual(spans);
  });

  it.each([
    ['by form', '078-05-1120', ['NATIONAL_ID 078-05-1120']],
    ['in JSON under its key', '{"ssn": 123456789, "id": 123456789}', ['NATIONAL_ID 123456789']],
    [
      'in a column under its header',
      'name,ssn,note\nAnn,123456789,987654321',
      ['NATIONAL_ID 123456789'],
    ],
    [
      'in the first row of a column, after another number',
      'id,name,ssn\n1,Ann,123456789\n2,Bob,987654321',
      ['NATIONAL_ID 123456789', 'NATIONAL_ID 987654321'],
    ],
    ['with OCR errors', 'SSN 73O-S9-8088', ['NATIONAL_ID 73O-S9-8088']],
    ['in camel case', 'taxId: "12-3456789"', ['TAX_ID 12-3456789']],
    ['in German', 'Steuer-ID: 86095742719', ['TAX_ID 86095742719']],
    ['with the state', 'Driver License: CA-D1234567', ['DRIVER_LICENSE CA-D1234567']],
    ['of a passport', 'passport no. C01X00T47', ['PASSPORT C01X00T47']],
    ['spaced', 'NINO AB 12 34 56 C', ['NATIONAL_ID AB 12 34 56 C']],
    [
      'with a check digit after a weak cue',
      'ID number 8001015009087',
      ['NATIONAL_ID 8001015009087'],
    ],
    ['not without a check digit after a weak cue', 'ID number 8001015009088', []],
  ])('finds identity numbers: %s', (_name, text, spans) => {
    expect(detected(text)).toEqual(spans);
  });

  it.each([
    ['born on 12 March 1985', '12 March 1985'],
    ['Q: And your date of birth?\nA: 1985-01-18.', '1985-01-18'],
    ['geboren am 12.03.1985', '12.03.1985'],
    ['nacido el 3 de mayo de 1990', '3 de mayo de 1990'],
    ['birthday: March 12, 1985', 'March 12, 1985'],
    ['出生日期：1985年3月12日', '1985年3月12日'],
    ['name,email,dob\nAnn,a,1983-11-23', '1983-11-23'],
  ])('finds the date of birth in %j', (text, date) => {
    expect(detected(text)).toEqual([`DATE_OF_BIRTH ${date}`]);
  });

  it.each([
    ['IPv4', 'from 198.133.52.169:443', ['IP 198.133.52.169']],
    [
      'IPv6',
      'fe80::1ff:fe23:4567:890a and [2001:0:130f::9c0:876a:130b]',
      ['IP fe80::1ff:fe23:4567:890a', 'IP 2001:0:130f::9c0:876a:130b'],
    ],
    ['IPv6 that begins with letters', 'host ff02:0:0:0:0:1:ff00:1', ['IP ff02:0:0:0:0:1:ff00:1']],
    [
      'MAC',
      'ad:2c:ab:39:20:9d 00-1A-2B-3C-4D-5E',
      ['MAC ad:2c:ab:39:20:9d', 'MAC 00-1A-2B-3C-4D-5E'],
    ],
    [
      'no reserved addresses',
      '127.0.0.1 0.0.0.0 203.0.113.7 ::1 :: 2001:db8::1 8.8.8.8 255.255.255.0',
      [],
    ],
    [
      'no versions or identifiers',
      'v12.16.12.0, upgrade to 10.12.14.16, a::b std::vector<int>',
      [],
    ],
    ['no fingerprints', '00:1A:2B:3C:4D:5E:6F:70', []],
  ])('finds network addresses: %s', (_name, text, spans) => {
    expect(detected(text)).toEqual(spans);
  });

  it.each([
    ['trace_id=40000000-0000-4000-a080-000000000000 span=8000000000000000'],
    ['Order #8862882200 shipped, tracking number 420200022268, total $958.64'],
    ['order 4111111111111111'],
    ['createdAt: 1726060062403, ts=1766008688'],
    ['commit 0000000000000000000000000000000000000080'],
    ['ISBN 978-3-2288-6820-5, pages 452'],
    ['IN (868066446, 644688826, 440422668)'],
    ['lat=48.668200, lon=11.800486, pi 3.14159265358979323846'],
    ['invoice total 1 234 567,89 and 12.345.678,90'],
    ['ETag: W/"000000000000-4268886600682"'],
    ['2024-01-15T10:22:33Z, 15/09/2025, 12:30:45'],
    ['<Buffer 01 02 03 04 05 06 07 08>'],
    ['web-0000090000-00808, part-60088.gz, /^[0-9]{3}-[0-9]{2}-[0-9]{4}$/'],
    ['https://shop.example/item/4111111111111111/8001015009087'],
    ['TIOCSWINSZ = 0x2000746e'],
    ['    --- PASS: TestListen/very/nested/127.0.0.1:0 (0.00s)'],
  ])('finds nothing in %j', (text) => {
    expect(detected(text)).toEqual([]);
  });

  it('returns ascending spans without overlaps inside the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'a@b.co',
        'ssn ',
        '123-45-6789',
        'password: ',
        'x9y8z7',
        '://',
        ':',
        '\n',
        ',',
      ),
      fc.constantFrom(
        '+1 (555) 234-5678',
        '１２３',
        'eyJ0',
        '-----BEGIN PRIVATE KEY-----',
        '\ud800',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        let from = 0;
        for (const { start, end } of detectStructured(text)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 500 },
    );
  });
});
