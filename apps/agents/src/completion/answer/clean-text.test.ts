import { describe, expect, it } from '@jest/globals';
import { cleanText } from '../../prompt/to-one-line.ts';

describe('cleanText', () => {
  it.each([
    ['returns valid text unchanged', 'Grüße, 東京 👍', 'Grüße, 東京 👍'],
    ['removes NUL and trims', '\n \0Yes.\0 ', 'Yes.'],
    ['replaces lone surrogates', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
  ])('%s', (_name, text, clean) => {
    expect(cleanText(text, 100)).toBe(clean);
  });

  it('cuts between two characters', () => {
    expect(cleanText('ab👍', 3)).toBe('ab');
    expect(cleanText('ab👍', 4)).toBe('ab👍');
  });
});
