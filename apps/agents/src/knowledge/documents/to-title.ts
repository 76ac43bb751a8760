import type { DocumentHint } from './document-text.ts';

const MAX_TITLE_LENGTH = 200;
const MAX_WORDS_LENGTH = 80;

export const toTitle = (ownTitle: string, { fileName }: DocumentHint, text: string): string =>
  toTitleLine(ownTitle, MAX_TITLE_LENGTH) ||
  toTitleLine(fileName, MAX_TITLE_LENGTH) ||
  firstWords(text);

/**
 * Returns the title of a Markdown text from its front matter, otherwise its first heading; empty if
 * the beginning of the text contains neither.
 */
export const markdownTitle = (text: string): string => {
  const lines = text.slice(0, HEAD_LENGTH).split(/\r?\n/);
  if (lines[0] === '---') {
    const frontMatter = lines.slice(1, Math.max(1, lines.indexOf('---', 1)));
    const titleLine = frontMatter.find((line) => line.startsWith('title:'));
    if (titleLine)
      return titleLine
        .slice('title:'.length)
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2');
  }
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (/^(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) continue;
    if (/^ {0,3}#{1,6}\s/.test(line)) return headingText(line);
    if (/^=+\s*$/.test(lines[index + 1] ?? '') && line.trim() !== '') return line;
  }
  return '';
};

/** Returns the text of a heading: converts `## Title ##` to `Title`. */
const headingText = (line: string): string => {
  const words = line.trim().split(/\s+/).slice(1);
  if (/^#+$/.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ');
};

const HEAD_LENGTH = 2000;

const firstWords = (text: string): string =>
  toTitleLine(
    text
      .trimStart()
      .slice(0, HEAD_LENGTH)
      .split(/[\r\n]/, 1)[0]!,
    MAX_WORDS_LENGTH,
  );

const toTitleLine = (text: string, maxLength: number): string => {
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
