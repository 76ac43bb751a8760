import { isSpaceMark } from './char-class.ts';

/** A line end with the dash before it, and the blanks or quote marks of a mail behind it. */
const LINE_GAP = /-?[ \t]{0,8}\r?\n[ \t>]{0,8}/y;

/**
 * Where the gap after a group of a long number ends: one space of any width, dash or dot, or the
 * end of a line. Returns `at` when there is no gap.
 */
export function gapEnd(text: string, at: number): number {
  LINE_GAP.lastIndex = at;
  if (LINE_GAP.test(text)) return LINE_GAP.lastIndex;
  return isGroupMark(text.charCodeAt(at)) ? at + 1 : at;
}

/** A space of any width, a dash or a dot. */
export function isGroupMark(c: number): boolean {
  if (c < 128) return c === 0x20 || c === 0x2d || c === 0x2e;
  return isSpaceMark(c) || c === 0x2011;
}
