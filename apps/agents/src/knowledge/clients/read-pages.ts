import {
  damagedDocument,
  DocumentRefusal,
  tooLarge,
  tooMuchText,
} from '../documents/document-refusals.ts';

export type PdfPages = {
  numPages: number;
  getPage(number: number): Promise<PdfPage>;
};

type PdfPage = {
  streamTextContent(): ReadableStream<{ items: readonly object[] }>;
  cleanup(): unknown;
};

const MAX_PAGES = 20_000;

/**
 * Returns the text of a PDF and the start of each page in it. Throws REQUEST_TOO_LARGE if the PDF
 * has too many pages or more than `maxLength` UTF-16 units of text, and INVALID_REQUEST for a
 * damaged page.
 */
export const readPages = async (
  pdf: PdfPages,
  maxLength: number,
): Promise<{ text: string; pageStarts: number[] }> => {
  if (pdf.numPages > MAX_PAGES) throw tooLarge(`The PDF has more than ${MAX_PAGES} pages.`);
  const parts: string[] = [];
  const pageStarts: number[] = [];
  let length = 0;
  let left = maxLength;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    pageStarts.push(length);
    const { runs, length: taken } = await readPage(pdf, number, left);
    left -= taken;
    const text = toPageText(runs);
    const part = number < pdf.numPages ? `${text}\n\n` : text;
    length += part.length;
    parts.push(part);
  }
  return { text: parts.join(''), pageStarts };
};

type PageRuns = { runs: PdfRun[]; length: number };

const readPage = async (pdf: PdfPages, number: number, left: number): Promise<PageRuns> => {
  try {
    const page = await pdf.getPage(number);
    const runs: PdfRun[] = [];
    let totalLength = 0;
    for await (const { items } of page.streamTextContent()) {
      for (const item of items) {
        if (!isRun(item)) continue;
        runs.push(item);
        totalLength += item.str.length;
      }
      if (totalLength > left) throw tooMuchText();
    }
    page.cleanup();
    return { runs, length: totalLength };
  } catch (error) {
    if (error instanceof DocumentRefusal) throw error;
    throw damagedDocument(`Page ${number} of the PDF`, error);
  }
};

const isRun = (item: object): item is PdfRun => 'str' in item;

type PdfRun = {
  str: string;
  hasEOL: boolean;
  height: number;
  /** Transformation matrix of six numbers; the last two are the position (x, y). */
  transform: readonly number[];
};

/**
 * Distance between two lines, as a multiple of the greater of their heights, above which a new
 * paragraph begins.
 */
const PARAGRAPH_GAP = 1.7;

const toPageText = (runs: readonly PdfRun[]): string => {
  const lines = toLines(runs);
  const parts = lines.map((line, index) => {
    const below = lines[index + 1];
    if (!below) return line.text;
    if (isHyphenated(line, below)) return line.text.slice(0, -1);
    return line.text + (isParagraphGap(line, below) ? '\n\n' : '\n');
  });
  return parts.join('').replace(INVISIBLE, '').toWellFormed().trim();
};

type PdfLine = { text: string; y: number; height: number };

const toLines = (runs: readonly PdfRun[]): PdfLine[] => {
  const lines: PdfLine[] = [];
  let line: PdfLine | undefined;
  for (const { str, hasEOL, height, transform } of runs) {
    if (str !== '') {
      line ??= { text: '', y: transform[5] ?? 0, height: 0 };
      line.text += str;
      line.height = Math.max(line.height, height);
    }
    if (!hasEOL) continue;
    if (line) lines.push(line);
    line = undefined;
  }
  if (line) lines.push(line);
  return lines
    .map((one) => ({ ...one, text: one.text.replace(SPACES, ' ').trim() }))
    .filter(({ text }) => text !== '');
};

const isParagraphGap = (line: PdfLine, below: PdfLine): boolean =>
  Math.abs(line.y - below.y) > PARAGRAPH_GAP * Math.max(line.height, below.height, 1);

const isHyphenated = (line: PdfLine, below: PdfLine): boolean =>
  HYPHEN_END.test(line.text) && /^\p{Ll}/u.test(below.text) && !isParagraphGap(line, below);

const HYPHEN_END = /(?<=\p{L})[-\u00ad\u2010]$/u;
const SPACES = /\s+/g;
const INVISIBLE = /(?![\t\n])[\p{Cc}\u00ad\u200b\p{Noncharacter_Code_Point}]/gu;
