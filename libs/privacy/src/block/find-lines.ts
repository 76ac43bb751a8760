import { findCodeFences } from './find-code-fences.ts';
import { LINE, LOOK, lookOf } from './line-kind.ts';

/** The lines of a text; a line is classified when it is asked for. */
export type Lines = {
  count: number;
  /** Where each line begins, and the end of the text. */
  start: Int32Array;
  /** The kind of a line, of `LINE`. */
  kind(line: number): number;
  /** The kind of the line of an offset. */
  kindAt(offset: number): number;
  /** Whether code is among the lines, or within one. */
  hasCode(): boolean;
};

/** How far a line that is not decided by itself looks for code above and below. */
const NEAR = 4;
const INDENTED = /^(?:\t| {3})/;
const UNKNOWN = 255;

/** Splits a text into lines that are prose, data or code. */
export const findLines = (text: string): Lines => {
  const start = lineStarts(text);
  const count = start.length - 1;
  const looks = new Uint8Array(count).fill(UNKNOWN);
  const fence = fenceOfLines(text, start, count);
  const look = (line: number): number => {
    if (looks[line] === UNKNOWN) looks[line] = lookOf(text.slice(start[line], start[line + 1]));
    return looks[line]!;
  };
  /** The look of the nearest line in a direction that decides; blank when none is near. */
  const nearest = (line: number, step: number): number => {
    for (let at = line + step, left = NEAR; left > 0 && fence[at] === fence[line]; at += step) {
      const one = look(at);
      if (one === LOOK.code || one === LOOK.data || one === LOOK.prose) return one;
      left--;
    }
    return LOOK.blank;
  };
  const kind = (line: number): number => {
    const own = look(line);
    const isFencedCode = fence[line]! < 0;
    if (own === LOOK.code) return LINE.code;
    if (own === LOOK.figures) return LINE.data;
    if (own === LOOK.prose && count === 1) return LINE.prose;
    const above = nearest(line, -1);
    const below = nearest(line, 1);
    const isNearCode = isFencedCode || above === LOOK.code || below === LOOK.code;
    if (own === LOOK.data)
      return isNearCode && above !== LOOK.data && below !== LOOK.data ? LINE.code : LINE.data;
    if (own !== LOOK.prose) return isNearCode ? LINE.code : LINE.prose;
    const isIndented = INDENTED.test(text.slice(start[line], start[line]! + 3));
    const isInCode = isFencedCode || (above === LOOK.code && below === LOOK.code);
    return (isIndented && isNearCode) || isInCode ? LINE.code : LINE.prose;
  };
  let hasCode: boolean | undefined;
  return {
    count,
    start,
    kind,
    kindAt: (offset) => kind(lineAt(start, count, offset)),
    hasCode: () =>
      (hasCode ??= INLINE_CODE.test(text) || looks.some((_look, line) => look(line) === LOOK.code)),
  };
};

/** The line of an offset. */
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

/** Code within prose: backticks, calls, `snake_case`, `camelCase`; handles and links are none. */
const INLINE_CODE = /`[^`\n]+`|[a-z]\w\(|\w::\w|(?<![\w@#/.:-])[a-z]+(?:_[a-z]|[a-z]{2}[A-Z][a-z])/;

/** Fences whose text is read as if it stood outside. */
const PROSE_LANGUAGES = /^(?:te?xt|plain|markdown|md|e?mail|eml|none|quote)$/i;

/** Where each line begins, and the end of the text. */
const lineStarts = (text: string): Int32Array => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  starts.push(text.length);
  return Int32Array.from(starts);
};

/** The number of each line's fence: 0 outside, below 0 where its language is one of code. */
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
