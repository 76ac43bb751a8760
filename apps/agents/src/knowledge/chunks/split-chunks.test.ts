import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateTokens } from '../../prompt/estimate-tokens.ts';
import { MAX_CHUNK_TOKENS, MIN_CHUNK_TOKENS, splitChunks } from './split-chunks.ts';

const SENTENCE = 'The council met on a Tuesday and decided nothing of note. ';
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, n) => `Paragraph ${n}. ${SENTENCE.repeat(4)}`).join('\n\n');
const textsOf = (text: string): string[] =>
  splitChunks({ text }).map(({ start, end }) => text.slice(start, end));

describe('splitChunks', () => {
  it('covers every word once, in order, at the reported positions', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constantFrom('\n\n', '\r\n', '# Heading\n', '```\n', '| a | b |\n', '- item\n', '\n===\n'),
      fc.constantFrom(SENTENCE.repeat(9), '知識庫的文件。'.repeat(40), 'x'.repeat(900), '👩‍👩‍👧'),
    );
    const pieces = fc.array(piece, { maxLength: 40 });
    const property = fc.property(pieces, pieces, (first, second) => {
      const one = first.join('').toWellFormed();
      const text = one + second.join('').toWellFormed();
      for (const pageStarts of [undefined, [0], [0, one.length], [0, 0, one.length, text.length]]) {
        const chunks = splitChunks({ text, pageStarts });
        let at = 0;
        for (const chunk of chunks) {
          const skippedText = text.slice(at, chunk.start);
          const chunkText = text.slice(chunk.start, chunk.end);
          expect([skippedText.trim(), chunkText.trim()]).toEqual(['', chunkText]);
          expect(chunkText.isWellFormed() && chunkText !== '').toBe(true);
          expect(estimateTokens(chunkText)).toBeLessThanOrEqual(MAX_CHUNK_TOKENS);
          const page = pageStarts && pageStarts.findLastIndex((start) => start <= chunk.start) + 1;
          expect(chunk.page).toBe(page ?? null);
          expect(chunk.end).toBeLessThanOrEqual(pageStarts?.[page!] ?? text.length);
          at = chunk.end;
        }
        expect(text.slice(at).trim()).toBe('');
      }
    });
    fc.assert(property, { numRuns: 50 });
  });

  it('fills all chunks but the last, which is not tiny', () => {
    for (let count = 1; count < 40; count += 1) {
      const tokens = textsOf(paragraphs(count)).map(estimateTokens);
      for (const token of tokens.slice(0, -2))
        expect(token).toBeGreaterThan(MIN_CHUNK_TOKENS * 0.9);
      const last = tokens.length > 1 ? tokens.at(-1) : MIN_CHUNK_TOKENS;
      expect(last).toBeGreaterThan(MIN_CHUNK_TOKENS * 0.55);
    }
  });

  it('cuts between paragraphs, preferably before headings', () => {
    for (const text of textsOf(paragraphs(30))) {
      expect(text).toMatch(/^Paragraph [^]* note\.$/);
    }
    const headedText = `${paragraphs(5)}\n\n## Second\n\n${paragraphs(9)}`;
    expect(textsOf(headedText)[1]).toMatch(/^## Second\n\nParagraph 0/);
  });

  it('keeps a heading with the following text', () => {
    for (let count = 1; count < 30; count += 1) {
      const filler = 'word '.repeat(40 * count);
      for (const heading of ['# One\n\n## Two', 'One\n===', 'One\n---']) {
        const text = `${filler}\n\n${heading}\n\n${SENTENCE.repeat(30)}`;
        for (const chunk of textsOf(text)) expect(chunk).not.toMatch(/(Two|===|---)$/);
      }
    }
  });

  it('does not treat comments in code as headings', () => {
    const lines = Array.from({ length: 200 }, (_, n) => `# step ${n}\nrun --number ${n}\n`);
    const chunks = textsOf(`Before:\n\n\`\`\`sh\n${lines.join('\n')}\`\`\`\n\n${paragraphs(9)}`);
    // If comments counted as headings, every later chunk would begin with a comment.
    const starts = chunks.map((text) => text.split('\n')[0]!);
    expect(starts.some((line) => line.startsWith('run --number'))).toBe(true);
  });

  it('cuts tables between rows and lists between items', () => {
    const rows = Array.from({ length: 100 }, (_, n) => `| row ${n} | ${'cell '.repeat(9)}|`);
    for (const text of textsOf(rows.join('\n'))) expect(text).toMatch(/^\| row [^]*\|$/);
    const items = Array.from({ length: 99 }, (_, n) => `- item ${n}\n  ${'more '.repeat(20)}`);
    for (const text of textsOf(items.join('\n'))) expect(text).toMatch(/^- item/);
  });

  it('cuts long paragraphs between sentences, also in Chinese', () => {
    for (const text of textsOf(SENTENCE.repeat(200))) expect(text).toMatch(/^The .* note\.$/);
    for (const text of textsOf('知識庫的文件會被切成小段，每一段都有位置。'.repeat(99))) {
      expect(text).toMatch(/^知識.*位置。$/);
    }
  });

  it('cuts long words between graphemes', () => {
    for (const character of ['👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301', '각', '👍🏽']) {
      for (const text of textsOf(character.repeat(3000))) {
        expect(text.length % character.length).toBe(0);
        expect(text.startsWith(character)).toBe(true);
      }
    }
  });

  it('cuts an endless grapheme and skips white space', () => {
    const unbreakableText = `a${'\u0301'.repeat(50_000)}`;
    expect(textsOf(unbreakableText).join('')).toBe(unbreakableText);
    expect(textsOf(' \n\t\u3000'.repeat(50_000))).toEqual([]);
    expect(textsOf('')).toEqual([]);
    expect(textsOf(`a${' '.repeat(100_000)}b`)).toEqual(['a', 'b']);
  });

  it('ends chunks at page boundaries', () => {
    const page = `${SENTENCE.repeat(3)}\n\n`;
    const pageStarts = Array.from({ length: 9 }, (_, n) => n * page.length);
    const chunks = splitChunks({ text: page.repeat(9), pageStarts });
    expect(chunks.map((chunk) => chunk.page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
