import { isUnicodeSpace } from './char-class.ts';

/** Matches a line break with an optional dash before it and spaces or mail quote marks after it. */
const LINE_GAP = /-?[ \t]{0,8}\r?\n[ \t>]{0,8}/y;

export function gapEnd(text: string, offset: number): number {
  LINE_GAP.lastIndex = offset;
  if (LINE_GAP.test(text)) return LINE_GAP.lastIndex;
  return isGroupMark(text.charCodeAt(offset)) ? offset + 1 : offset;
}

export function isGroupMark(c: number): boolean {
  if (c < 128) return c === 0x20 || c === 0x2d || c === 0x2e;
  return isUnicodeSpace(c) || c === 0x2011;
}
