import { describe, expect, it } from '@jest/globals';
import { maskText } from './mask-text.ts';
import type { Stretch } from './mask-text.ts';

const TEXT = 'Ann Lee (ann.lee@example.org) ordered AB-1234 from Project Heron.';
const SETTINGS = {
  categories: ['EMAIL'],
  terms: [{ text: 'project heron', category: 'ORG' }],
  patterns: [{ pattern: 'AB-\\d{4}', category: 'NATIONAL_ID' }],
} as const;

const originalOf = (stretches: readonly Stretch[]): string =>
  stretches.map(({ original }) => original).join('');

describe('the masking of a text in the page', () => {
  it('masks the chosen categories, terms and patterns, and nothing else', () => {
    const stretches = maskText({ text: TEXT, settings: SETTINGS });
    expect(originalOf(stretches)).toBe(TEXT);
    const found = stretches.filter(({ category }) => category !== null);
    expect(found.map(({ original, category }) => [original, category])).toEqual([
      ['ann.lee@example.org', 'EMAIL'],
      ['AB-1234', 'NATIONAL_ID'],
      ['Project Heron', 'ORG'],
    ]);
    expect(found.map(({ masked }) => masked)).toEqual([
      expect.stringMatching(/^\[\[EMAIL_[A-Z2-7]{6}\]\]$/),
      expect.stringMatching(/^\[\[NATIONAL_ID_[A-Z2-7]{6}\]\]$/),
      expect.stringMatching(/^\[\[ORG_[A-Z2-7]{6}\]\]$/),
    ]);
  });

  it('escapes what looks like a placeholder, and marks it as LITERAL', () => {
    const text = 'See [[EMAIL_AAAAAA]] and [[x]].';
    const stretches = maskText({ text, settings: { categories: [] } });
    expect(originalOf(stretches)).toBe(text);
    expect(stretches.filter(({ category }) => category !== null)).toEqual([
      {
        original: '[[EMAIL_AAAAAA]]',
        masked: expect.stringMatching(/^\[\[LITERAL_[A-Z2-7]{6}\]\]$/),
        category: 'LITERAL',
      },
    ]);
  });

  it('refuses a pattern that cannot be used, and names it', () => {
    const settings = { patterns: [{ pattern: '(a', category: 'ORG' }] } as const;
    expect(() => maskText({ text: 'a', settings })).toThrow(/“\(a” cannot be used/);
  });
});
