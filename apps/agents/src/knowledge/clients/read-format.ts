import { splitChunks } from '../chunks/split-chunks.ts';
import { charsetOf, decodeText } from '../documents/decode-text.ts';
import { tooMuchText, noTextFound } from '../documents/document-refusals.ts';
import { MAX_TEXT_LENGTH, MEDIA_TYPES } from '../documents/document-text.ts';
import type { ChunkedDocument, DocumentFormat, DocumentHint } from '../documents/document-text.ts';
import { markdownTitle, toTitle } from '../documents/to-title.ts';

export type DocumentTask = { format: DocumentFormat; bytes: Uint8Array; hint: DocumentHint };

/**
 * Reads a document and splits it into chunks in the current process. Long or hostile documents can
 * take much time and memory; `readInProcess` limits both.
 */
export const readFormat = async (task: DocumentTask): Promise<ChunkedDocument> => {
  const { title, ...read } = await readers[task.format](task);
  if (read.text.length > MAX_TEXT_LENGTH) throw tooMuchText();
  if (read.text.trim() === '') throw noTextFound('The document');
  const mediaType = MEDIA_TYPES[task.format];
  const chunks = splitChunks(read);
  return { mediaType, title: toTitle(title, task.hint, read.text), ...read, chunks };
};

type ParsedDocument = { text: string; title: string; pageStarts?: number[] };

const readers: Readonly<Record<DocumentFormat, (task: DocumentTask) => Promise<ParsedDocument>>> = {
  text: async (task) => ({ text: decode(task), title: '' }),
  markdown: async (task) => {
    const text = decode(task);
    return { text, title: markdownTitle(text) };
  },
  html: async (task) => {
    const { charsetOfPage, readHtml } = await import('./read-html.ts');
    return readHtml(decode(task, charsetOfPage(task.bytes)));
  },
  docx: async ({ bytes }) => (await import('./read-docx.ts')).readDocx(bytes),
  pdf: async ({ bytes }) => (await import('./read-pdf.ts')).readPdf(bytes),
};

const decode = ({ bytes, hint }: DocumentTask, label?: string): string =>
  decodeText(bytes, charsetOf(hint.mediaType) ?? label);
