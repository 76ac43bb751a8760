import { charTest, isDigit } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import { findOwnCue } from './find-cue.ts';
import type { Scan } from './scan.ts';
import type { Category } from '../span.ts';

const MAX_LINE = 4_096;
const HEADER_LINES = 3;
const MAX_CELLS = 64;
/** Tests for the marks that may be between a delimiter and a value. */
const isBeforeValue = charTest(' "+(');
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const TAB = 0x09;
const PIPE = 0x7c;

export function findHeaderCue(scan: Scan, offset: number): Cue | undefined {
  const { text } = scan;
  if (scan.header.block !== scan.blockStart) readHeader(scan);
  const { cells, delimiter, end } = scan.header;
  if (cells.length === 0 || offset < end || offset - scan.lineStart > MAX_LINE) return undefined;
  if (!isCellStart(text, offset, delimiter)) return undefined;
  let column = 0;
  let isQuoted = false;
  for (let i = scan.lineStart; i < offset; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) isQuoted = !isQuoted;
    else if (c === delimiter && !isQuoted) column++;
  }
  return cells[column];
}

function isCellStart(text: string, offset: number, delimiter: number): boolean {
  let i = offset - 1;
  while (i >= 0 && i > offset - 4) {
    const c = text.charCodeAt(i);
    if (c === delimiter || c === 0x0a) return true;
    if (!isBeforeValue(c)) return false;
    i--;
  }
  return i < 0;
}

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

function headerDelimiter(text: string, start: number, end: number): number {
  let commas = 0;
  let semicolons = 0;
  let tabs = 0;
  let pipes = 0;
  let afterDigit = false;
  for (let i = start; i < end; i++) {
    const c = text.charCodeAt(i);
    const digit = isDigit(c);
    if (digit && afterDigit) return 0;
    afterDigit = digit;
    if (c === COMMA) commas++;
    else if (c === SEMICOLON) semicolons++;
    else if (c === TAB) tabs++;
    else if (c === PIPE) pipes++;
  }
  const max = Math.max(commas, semicolons, tabs, pipes);
  if (max < 2) return 0;
  if (afterDigit && end < text.length && isDigit(text.charCodeAt(end))) return 0;
  if (max === commas) return COMMA;
  if (max === semicolons) return SEMICOLON;
  return max === tabs ? TAB : PIPE;
}

function headerCells(
  text: string,
  line: { start: number; end: number; delimiter: number },
): readonly (Cue | undefined)[] {
  const cells = text
    .slice(line.start, line.end)
    .split(String.fromCharCode(line.delimiter), MAX_CELLS);
  if (cells.length < 3 || cells.some((cell) => cell.length > 40)) return [];
  return cells.map((cell) => findOwnCue(cell));
}

function lineEnd(text: string, start: number): number {
  const stop = Math.min(text.length, start + MAX_LINE);
  const newline = text.indexOf('\n', start);
  return newline < 0 ? stop : Math.min(newline, stop);
}

const MAX_GAP = 9;

const CUE_BY_CATEGORY: Readonly<Partial<Record<Category, Cue>>> = {
  PHONE: 'phone',
  CREDIT_CARD: 'card',
  NATIONAL_ID: 'national',
  TAX_ID: 'tax',
  BANK_ACCOUNT: 'account',
  PASSPORT: 'passport',
};

/**
 * Returns the cue that corresponds to the previous value in a list: in `555-1234 or 5551234567`,
 * the second number is a phone number too.
 */
export function findListCue(scan: Scan, offset: number): Cue | undefined {
  const last = scan.spans.at(-1);
  if (last === undefined || offset - last.end > MAX_GAP || offset <= last.end) return undefined;
  const gap = scan.text.slice(last.end, offset);
  const joins = /^(?:, |,? (?:and|or|und|oder|y|o|et|ou|e|och|eller|en|of|i|lub) | ?\/ ?)$/.test(
    gap,
  );
  return joins ? CUE_BY_CATEGORY[last.category] : undefined;
}
