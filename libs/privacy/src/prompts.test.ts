import { describe, expect, it } from '@jest/globals';
import { countFalseMasks } from '../bench/count-false-masks.ts';
import { createDetector } from './detect.ts';

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
