import { describe, expect, it } from '@jest/globals';
import { CATEGORIES } from '@witan/privacy';
import { checkPrivacy, DEFAULT_PRIVACY } from './privacy-settings.ts';
import type { PrivacyInput } from './privacy-settings.ts';

const toPrivacyInput = (input: Partial<PrivacyInput>): PrivacyInput => ({
  categories: undefined,
  terms: [],
  patterns: [],
  ...input,
});
const terms = (...texts: string[]): PrivacyInput =>
  toPrivacyInput({ terms: texts.map((text) => ({ text, category: 'PERSON' })) });
const patterns = (...list: string[]): PrivacyInput =>
  toPrivacyInput({ patterns: list.map((pattern) => ({ pattern, category: 'SECRET' })) });

describe('accepted privacy settings', () => {
  it.each<[string, PrivacyInput]>([
    ['a term of one letter', terms('Ж')],
    ['a term with punctuation', terms('C++', '.NET', 'Anna-Lena de la Cruz')],
    [
      'all constructs of the pattern language',
      patterns('\\b(?:AC|ME)[-_]?\\d{4,8}[^\\s]+x*.\\w\\b'),
    ],
    [
      'a text as a term and as a pattern',
      { ...terms('acme'), patterns: patterns('acme').patterns },
    ],
  ])('may have %s, which stay unchanged', (_name, input) => {
    expect(checkPrivacy(input)).toEqual({
      categories: DEFAULT_PRIVACY.categories,
      terms: input.terms,
      patterns: input.patterns,
    });
  });

  it('are the defaults when nothing is given', () => {
    expect(checkPrivacy(toPrivacyInput({}))).toEqual(DEFAULT_PRIVACY);
  });

  it('have their categories in the order of CATEGORIES', () => {
    const backwards = CATEGORIES.toReversed();
    expect(checkPrivacy(toPrivacyInput({ categories: backwards })).categories).toEqual(CATEGORIES);
    const twoCategories = toPrivacyInput({ categories: ['SECRET', 'EMAIL'] });
    expect(checkPrivacy(twoCategories).categories).toEqual(['EMAIL', 'SECRET']);
  });

  it('may have no categories and keep their terms', () => {
    const input = { ...terms('Anna'), categories: [] };
    expect(checkPrivacy(input)).toMatchObject({ categories: [], terms: [{ text: 'Anna' }] });
  });
});

describe('rejected privacy settings', () => {
  const term = 'privacy.terms[1].text';
  const pattern = 'privacy.patterns[1].pattern';
  it.each<[string, PrivacyInput, string]>([
    ['terms of 50,001 characters', terms('n'.repeat(50_001)), 'privacy.terms'],
    ['a term of two lines', terms('x', 'Anna\nLena'), term],
    ['a term that is not well-formed Unicode', terms('x', '\ud800'), term],
    ['a space', terms('x', ' '), term],
    ['a term that ends in a space', terms('x', 'Anna '), term],
    ['a full stop', terms('x', '.'), term],
    ['a term twice', terms('Anna', 'Anna'), term],
    ['a term twice, in another case', terms('ÄNNE', 'änne'), term],
    ['a pattern with a null character', patterns('x', 'a\0'), pattern],
    ['a pattern twice', patterns('x+', 'x+'), pattern],
    ['an anchor', patterns('x', '^a'), pattern],
    ['a look-around', patterns('x', '(?=a)b'), pattern],
    ['a back reference', patterns('x', '(a)\\1'), pattern],
    ['a pattern that matches the empty text', patterns('x', 'a*'), pattern],
    ['a pattern that expands too far', patterns('x', '(a{100}){100}'), pattern],
  ])('%s', (_name, input, param) => {
    expect(() => checkPrivacy(input)).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param } }),
    );
  });

  it('report the error in a pattern and the allowed language', () => {
    const act = (): unknown => checkPrivacy(patterns('ab$'));
    expect(act).toThrow(/^privacy\.patterns\[0\]\.pattern: .*\$.* character 3\. A pattern holds /);
  });

  it.each<[string, PrivacyInput]>([
    ['twice', terms('Anna Canary', 'anna canary')],
    ['badly spaced', terms(' Anna Canary')],
  ])('do not repeat a term in the error if it is %s', (_name, input) => {
    expect(() => checkPrivacy(input)).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/canary/i) }),
    );
  });
});
