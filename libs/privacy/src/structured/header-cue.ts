import { isDigit } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import { findOwnCue } from './find-cue.ts';
import type { Scan } from './scan.ts';

const MAX_LINE = 4_096;
const HEADER_LINES = 3;
const MAX_CELLS = 64;
/** Comma, semicolon, tab and bar. */
const DELIMITERS = [0x2c, 0x3b, 0x09, 0x7c];

/** The cue that the column of a value has in the header of its table, if the value is a cell. */
export function findHeaderCue(scan: Scan, at: number): Cue | undefined {
  const { text, header } = scan;
  if (header.block !== scan.blockStart) readHeader(scan);
  if (header.cells.length === 0 || at < header.end || at - scan.lineStart > MAX_LINE) {
    return undefined;
  }
  let column = 0;
  let quoted = false;
  for (let i = scan.lineStart; i < at; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) quoted = !quoted;
    else if (c === header.delimiter && !quoted) column++;
  }
  return isCellStart(text, at, header.delimiter) ? header.cells[column] : undefined;
}

function isCellStart(text: string, at: number, delimiter: number): boolean {
  let i = at - 1;
  while (i >= 0 && i > at - 4) {
    const c = text.charCodeAt(i);
    if (c === delimiter || c === 0x0a) return true;
    if (c !== 0x20 && c !== 0x22 && c !== 0x2b && c !== 0x28) return false;
    i--;
  }
  return i < 0;
}

/** Looks for a header with cues in the first lines of the block; once for each block. */
function readHeader(scan: Scan): void {
  scan.header = { block: scan.blockStart, cells: [], delimiter: 0, end: 0 };
  let start = scan.blockStart;
  for (let line = 0; line < HEADER_LINES; line++) {
    const end = lineEnd(scan.text, start);
    const delimiter = headerDelimiter(scan.text, start, end);
    if (delimiter !== 0) {
      const cells = headerCells(scan.text, { start, end, delimiter });
      if (cells.some((cue) => cue !== undefined && cue !== 'deny')) {
        scan.header = { block: scan.blockStart, cells, delimiter, end };
        return;
      }
    }
    if (end >= scan.text.length) return;
    start = end + 1;
  }
}

/** The delimiter that parts the line in three cells or more, or 0; a header holds no digits. */
function headerDelimiter(text: string, start: number, end: number): number {
  const counts = [0, 0, 0, 0];
  for (let i = start; i < end; i++) {
    const c = text.charCodeAt(i);
    if (isDigit(c) && isDigit(text.charCodeAt(i + 1))) return 0;
    const kind = c < 128 ? DELIMITERS.indexOf(c) : -1;
    if (kind >= 0) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  return most < 2 ? 0 : (DELIMITERS[counts.indexOf(most)] ?? 0);
}

function headerCells(
  text: string,
  line: { start: number; end: number; delimiter: number },
): readonly (Cue | undefined)[] {
  const cells = text
    .slice(line.start, line.end)
    .split(String.fromCharCode(line.delimiter), MAX_CELLS);
  // A header names things: at least three, in short cells.
  if (cells.length < 3 || cells.some((cell) => cell.length > 40)) return [];
  return cells.map((cell) => findOwnCue(cell));
}

function lineEnd(text: string, start: number): number {
  const stop = Math.min(text.length, start + MAX_LINE);
  let i = start;
  while (i < stop && text.charCodeAt(i) !== 0x0a) i++;
  return i;
}
