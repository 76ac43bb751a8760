/** A fenced code block, its fences included, and the language that its first line names. */
export type CodeFence = { start: number; end: number; language: string };

/**
 * Fenced code blocks of Markdown, ascending. A fence that is never closed is none: names behind it
 * would leave, and half an answer is no code.
 */
export function findCodeFences(text: string): CodeFence[] {
  const fences: CodeFence[] = [];
  let open: { start: number; mark: string; language: string } | undefined;
  if (!text.includes('```') && !text.includes('~~~')) return fences;
  for (let at = 0; at < text.length;) {
    const lineEnd = text.indexOf('\n', at);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    const mark = markAt(text, at);
    if (open === undefined) {
      if (mark !== '') open = { start: at, mark, language: languageOf(text.slice(at, end), mark) };
    } else if (mark.startsWith(open.mark) && isBlank(text, text.indexOf(mark, at), mark, end)) {
      fences.push({ start: open.start, end, language: open.language });
      open = undefined;
    }
    at = end;
  }
  return fences;
}

/** The first word behind the mark that opens a fence. */
function languageOf(line: string, mark: string): string {
  return /^[\w+#.-]*/.exec(line.slice(line.indexOf(mark) + mark.length).trim())?.[0] ?? '';
}

const INDENT_MAX = 3;

/** The run of three or more backticks or tildes that a line begins with. */
function markAt(text: string, lineStart: number): string {
  let at = lineStart;
  while (at - lineStart < INDENT_MAX && text.charAt(at) === ' ') at += 1;
  const char = text.charAt(at);
  if (char !== '`' && char !== '~') return '';
  let end = at;
  while (text.charAt(end) === char) end += 1;
  return end - at >= 3 ? text.slice(at, end) : '';
}

/** A closing fence is alone in its line. */
function isBlank(text: string, markStart: number, mark: string, lineEnd: number): boolean {
  return text.slice(markStart + mark.length, lineEnd).trim() === '';
}
