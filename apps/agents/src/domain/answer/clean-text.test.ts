import { describe, expect, it } from '@jest/globals';
import { cleanText } from './clean-text.ts';

describe('what a model wrote', () => {
  it.each([
    ['stays as it is', 'Grüße, 東京 👍', 'Grüße, 東京 👍'],
    ['loses NUL and what is blank around it', '\n \0Yes.\0 ', 'Yes.'],
    ['has no half of a character', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
  ])('%s', (_what, text, clean) => {
    expect(cleanText(text, 100)).toBe(clean);
  });

  it('is cut between two characters', () => {
    expect(cleanText('ab👍', 3)).toBe('ab');
    expect(cleanText('ab👍', 4)).toBe('ab👍');
  });
});
