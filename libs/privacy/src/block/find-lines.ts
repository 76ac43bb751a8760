import { LINE_KIND, LINE_FORM, lineFormOf } from './line-kind.ts';

export type Lines = {
  /** Returns the `LINE_KIND` of the line that contains an offset. */
  kindAt(offset: number): number;
  /** Returns true if the text has inline code or a line of code. */
  hasCode(): boolean;
};

/** Maximum distance, in lines, at which a neighbor above or below influences the kind of a line. */
const NEIGHBORS_MAX = 4;
const INDENTED = /^(?:\t| {3})/;
const UNKNOWN = 255;

export const findLines = (text: string): Lines => {
  const start = lineStarts(text);
  const count = start.length - 1;
  const forms = new Uint8Array(count).fill(UNKNOWN);
  const fence = fenceOfLines(text, start, count);
  const formAt = (line: number): number => {
    if (forms[line] === UNKNOWN) forms[line] = lineFormOf(text.slice(start[line], start[line + 1]));
    return forms[line]!;
  };
  const nearestDecidedForm = (line: number, step: number): number => {
    for (
      let index = line + step, remaining = NEIGHBORS_MAX;
      remaining > 0 && fence[index] === fence[line];
      index += step
    ) {
      const form = formAt(index);
      if (form === LINE_FORM.code || form === LINE_FORM.data || form === LINE_FORM.prose)
        return form;
      remaining--;
    }
    return LINE_FORM.blank;
  };
  const kind = (line: number): number => {
    const form = formAt(line);
    const isFencedCode = fence[line]! < 0;
    if (form === LINE_FORM.code) return LINE_KIND.code;
    if (form === LINE_FORM.numeric) return LINE_KIND.data;
    if (form === LINE_FORM.prose && count === 1) return LINE_KIND.prose;
    const formAbove = nearestDecidedForm(line, -1);
    const formBelow = nearestDecidedForm(line, 1);
    const isNearCode = isFencedCode || formAbove === LINE_FORM.code || formBelow === LINE_FORM.code;
    if (form === LINE_FORM.data)
      return isNearCode && formAbove !== LINE_FORM.data && formBelow !== LINE_FORM.data
        ? LINE_KIND.code
        : LINE_KIND.data;
    if (form !== LINE_FORM.prose) return isNearCode ? LINE_KIND.code : LINE_KIND.prose;
    const isIndented = INDENTED.test(text.slice(start[line], start[line]! + 3));
    const isInCode = isFencedCode || (formAbove === LINE_FORM.code && formBelow === LINE_FORM.code);
    return (isIndented && isNearCode) || isInCode ? LINE_KIND.code : LINE_KIND.prose;
  };
  let hasCode: boolean | undefined;
  return {
    kindAt: (offset) => kind(lineAt(start, count, offset)),
    hasCode: () =>
      (hasCode ??=
        INLINE_CODE.test(text) || forms.some((_form, line) => formAt(line) === LINE_FORM.code)),
  };
};

const lineAt = (start: Int32Array, count: number, offset: number): number => {
  let low = 0;
  let high = count;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (start[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low;
};

const INLINE_CODE = /`[^`\n]+`|[a-z]\w\(|\w::\w|(?<![\w@#/.:-])[a-z]+(?:_[a-z]|[a-z]{2}[A-Z][a-z])/;

/** Fence languages that mark plain text, so that such a fence does not make its content code. */
const PROSE_LANGUAGES = /^(?:te?xt|plain|markdown|md|e?mail|eml|none|quote)$/i;

/** Returns the start offset of each line, followed by the length of the text. */
const lineStarts = (text: string): Int32Array => {
  const starts = [0];
  for (let offset = text.indexOf('\n'); offset >= 0; offset = text.indexOf('\n', offset + 1))
    starts.push(offset + 1);
  starts.push(text.length);
  return Int32Array.from(starts);
};

/**
 * Returns the number of the fence that contains each line: 0 for none, negative if the fence has a
 * language that is not in `PROSE_LANGUAGES`.
 */
const fenceOfLines = (text: string, start: Int32Array, count: number): Int32Array => {
  const numbers = new Int32Array(count);
  let line = 0;
  let number = 0;
  for (const fence of findCodeFences(text)) {
    number++;
    const isCode = fence.language !== '' && !PROSE_LANGUAGES.test(fence.language);
    while (line < count && start[line]! < fence.start) line++;
    for (; line < count && start[line]! < fence.end; line++)
      numbers[line] = isCode ? -number : number;
  }
  return numbers;
};

type CodeFence = { start: number; end: number; language: string };

/**
 * Returns the fenced code blocks of Markdown in ascending order. Ignores an unclosed fence, because
 * otherwise names in the text after it would not be masked.
 */
function findCodeFences(text: string): CodeFence[] {
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
