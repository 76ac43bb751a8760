export type CodeFence = { start: number; end: number; language: string };

/**
 * Returns the fenced code blocks of Markdown in ascending order. Ignores an unclosed fence, because
 * otherwise names in the text after it would not be masked.
 */
export function findCodeFences(text: string): CodeFence[] {
  const fences: CodeFence[] = [];
  let open: { start: number; mark: string; language: string } | undefined;
  if (!text.includes('```') && !text.includes('~~~')) return fences;
  for (let offset = 0; offset < text.length;) {
    const lineEnd = text.indexOf('\n', offset);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    const mark = fenceMarkAt(text, offset);
    if (open === undefined) {
      if (mark !== '')
        open = { start: offset, mark, language: languageOf(text.slice(offset, end), mark) };
    } else if (
      mark.startsWith(open.mark) &&
      isRestBlank(text, text.indexOf(mark, offset), mark, end)
    ) {
      fences.push({ start: open.start, end, language: open.language });
      open = undefined;
    }
    offset = end;
  }
  return fences;
}

function languageOf(line: string, mark: string): string {
  return /^[\w+#.-]*/.exec(line.slice(line.indexOf(mark) + mark.length).trim())?.[0] ?? '';
}

const INDENT_MAX = 3;

function fenceMarkAt(text: string, lineStart: number): string {
  let offset = lineStart;
  while (offset - lineStart < INDENT_MAX && text.charAt(offset) === ' ') offset += 1;
  const char = text.charAt(offset);
  if (char !== '`' && char !== '~') return '';
  let end = offset;
  while (text.charAt(end) === char) end += 1;
  return end - offset >= 3 ? text.slice(offset, end) : '';
}

/**
 * Returns true if only white space follows the fence mark on its line, as Markdown requires of a
 * closing fence.
 */
function isRestBlank(text: string, markStart: number, mark: string, lineEnd: number): boolean {
  return text.slice(markStart + mark.length, lineEnd).trim() === '';
}
