import {
  damagedDocument,
  DocumentRefusal,
  tooLarge,
  tooMuchText,
} from '../documents/document-refusals.ts';
import { toPageText } from './to-page-text.ts';
import type { PdfRun } from './to-page-text.ts';

export type PdfPages = {
  numPages: number;
  getPage(number: number): Promise<PdfPage>;
};

export type PdfPage = {
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
