import { describe, expect, it } from '@jest/globals';
import { markdownTitle, toTitle } from './to-title.ts';

describe('document titles', () => {
  const hint = { mediaType: '', fileName: 'plan.txt' };

  it("are the document's own title, otherwise the file name, otherwise the first words", () => {
    expect(toTitle(' The\n Plan\0 ', hint, 'x')).toBe('The Plan');
    expect(toTitle('\u2028', hint, 'x')).toBe('plan.txt');
    expect(toTitle('', { ...hint, fileName: '' }, '\n\nFirst line\nsecond')).toBe('First line');
  });

  it('are shortened to one line', () => {
    expect(toTitle('word '.repeat(999), hint, 'x')).toMatch(/^(word ){39}word…$/);
    expect(toTitle('🙂'.repeat(999), hint, 'x').isWellFormed()).toBe(true);
    expect(toTitle('x'.repeat(999), hint, 'x').length).toBeLessThanOrEqual(200);
  });

  it.each([
    ['a heading', 'Intro\n\n## The  Plan ##\n\n# Other', 'The Plan'],
    ['an underlined heading', 'The Plan\r\n========\r\n', 'The Plan'],
    ['front matter', '---\ntitle: "The Plan"\ntags: a\n---\n# Other', 'The Plan'],
    ['unterminated front matter', '---\ntitle: no\n# Heading', 'Heading'],
    ['code', '```\n# no\n```\n# Yes', 'Yes'],
    ['no title', 'Just text #no', ''],
  ])('are found in Markdown: %s', (_name, text, title) => {
    expect(markdownTitle(text)).toBe(title);
  });
});
