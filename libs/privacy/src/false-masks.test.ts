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
