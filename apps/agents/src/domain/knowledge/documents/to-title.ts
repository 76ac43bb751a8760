import type { DocumentHint } from './document-text.ts';

const MAX_TITLE_LENGTH = 200;
const MAX_WORDS_LENGTH = 80;

export const toTitle = (own: string, { fileName }: DocumentHint, text: string): string =>
  clean(own, MAX_TITLE_LENGTH) || clean(fileName, MAX_TITLE_LENGTH) || firstWords(text);

/** Returns the title in the front matter, else the first heading, else an empty text. */
export const markdownTitle = (text: string): string => {
  const lines = text.slice(0, HEAD_LENGTH).split(/\r?\n/);
  if (lines[0] === '---') {
    const matter = lines.slice(1, Math.max(1, lines.indexOf('---', 1)));
    const named = matter.find((line) => line.startsWith('title:'));
    if (named)
      return named
        .slice('title:'.length)
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2');
  }
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (/^(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) continue;
    if (/^ {0,3}#{1,6}\s/.test(line)) return withoutMarks(line);
    if (/^=+\s*$/.test(lines[index + 1] ?? '') && line.trim() !== '') return line;
  }
  return '';
};

/** Converts `## Title ##` to `Title`. */
const withoutMarks = (line: string): string => {
  const words = line.trim().split(/\s+/).slice(1);
  if (/^#+$/.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ');
};

const HEAD_LENGTH = 2000;

const firstWords = (text: string): string =>
  clean(
    text
      .trimStart()
      .slice(0, HEAD_LENGTH)
      .split(/[\r\n]/, 1)[0]!,
    MAX_WORDS_LENGTH,
  );

const clean = (text: string, maxLength: number): string => {
  const line = text
    .slice(0, HEAD_LENGTH)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  const cut = line.slice(0, maxLength);
  const lastSpace = cut.lastIndexOf(' ');
  return `${cut.slice(0, lastSpace > 0 ? lastSpace : maxLength - 1)}…`.toWellFormed();
};
