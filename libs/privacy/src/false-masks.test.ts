import { describe, expect, it } from '@jest/globals';
import { countFalseMasks, countMaskedRows } from '../bench/count-false-masks.ts';
import { createDetector } from './detect.ts';
import { NODE_MODULES } from './cli/config.ts';
import { samplePackages } from '../bench/sample-packages.ts';

const detect = createDetector();
const detected = (text: string): string[] =>
  detect(text).map(({ start, end, category }) => `${category} ${text.slice(start, end)}`);

describe('ordinary prompts', () => {
  it.each([
    'Can Python call Rust?',
    'You are a helpful assistant called Claude.',
    'Write a function that parses an ISO date and returns a Unix timestamp.',
    'Is Jenkins better than Travis?',
    'Mark the invoice as paid, then bill the customer.',
  ])('are not masked: %s', (text) => {
    expect(detected(text)).toEqual([]);
  });

  it.each([
    'Claude Dubois',
    'Ruby Miller',
    'Travis Kowalski',
    'Will Tanaka',
    'Mark Jenkins',
    'Grant Miller',
  ])('do not hide people whose names are also products or verbs: %s', (name) => {
    expect(detected(`Please write an e-mail to ${name} about the invoice.`)).toEqual([
      `PERSON ${name}`,
    ]);
  });

  it('outside of the training data are rarely masked, and more rarely as persons or addresses', () => {
    const total = countFalseMasks(detect).at(-1);
    expect(total?.texts).toBeGreaterThan(900);
    expect((total?.masked ?? 0) / (total?.texts ?? 1)).toBeLessThan(0.12);
    expect((total?.asPerson ?? 0) / (total?.texts ?? 1)).toBeLessThan(0.08);
  });
});

describe('data without names', () => {
  it.each([
    ['a word that starts a sentence', '{"status": "Anda saat ini mengikuti pengguna", "count": 1}'],
    ['words in lower case', '{\n  "arrow_sharp": "Seta afiada",\n  "arrow_round": "Seta curva"\n}'],
    ['a word that starts a description', '{"description": "Aurora module definition: the module"}'],
    ['capitals', '# LATIN SMALL LETTER S WITH CARON\nconst a = b();'],
    ['a sentence without upper and lower case', '{"error": "به سرور متصل نشد. لطفا صفحه را"}'],
    ['a quoted version', '{"version": "1.12.17.30"}'],
    ['a key that an expression follows', 'append(base, "PWD="+dir)'],
    [
      'a tag of documentation',
      'import dns.name\n\nclass X25(dns.rdata.Rdata):\n\n' +
        '    """X25 record\n\n    @ivar address: the PSDN address\n    @type address: string',
    ],
  ])('is not masked: %s', (_title, text) => {
    expect(detected(text)).toEqual([]);
  });

  it.each([
    [
      '{"message": "please ask Victor and Alice about the invoice"}',
      ['PERSON Victor', 'PERSON Alice'],
    ],
    ['{"password": "+dir4Ab9"}', ['SECRET +dir4Ab9']],
    ['{"ip": "81.12.17.30"}', ['IP 81.12.17.30']],
  ])('does not hide values: %s', (text, spans) => {
    expect(detected(text)).toEqual(spans);
  });
});

describe('installed packages', () => {
  // Not 1, which is the seed of the training data.
  const rows = samplePackages(NODE_MODULES, 2).filter((_row, index) => index % 6 === 0);
  const masked = new Map(
    countMaskedRows(rows, createDetector()).map((row) => [row.kind, row.masked / row.rows]),
  );

  it('contain enough rows of each kind', () => {
    expect(rows.length).toBeGreaterThan(500);
    expect([...masked.keys()].toSorted()).toEqual(['code', 'json', 'prose']);
  });

  it.each([
    ['code', 0.02],
    ['json', 0.03],
    ['prose', 0.01],
  ] as const)('have few false names in rows of %s', (kind, maxShare) => {
    expect(masked.get(kind)).toBeLessThanOrEqual(maxShare);
  });
});
