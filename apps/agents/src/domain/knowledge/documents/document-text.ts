import type { Chunk } from '../chunks/split-chunks.ts';

/** What a document says, and what it calls itself. */
export type DocumentText = {
  /** As it was recognised, without parameters. */
  mediaType: string;
  /** What the document calls itself, else its file name, else its first words. Never empty. */
  title: string;
  /**
   * What is stored, and what chunks point into. Plain text and Markdown as they are but for a byte
   * order mark; the others as text with Markdown's signs for headings, list items and cells. Well
   * formed, without U+0000.
   */
  text: string;
  /** Where in `text` (UTF-16 units) each page begins, from page 1; absent: it has no pages. */
  pageStarts?: number[];
};

/** A document with its pieces, which are made where it is read: long ones take a while. */
export type ChunkedDocument = DocumentText & { chunks: Chunk[] };

/** What a client says of the bytes that it sends; empty: nothing. */
export type DocumentHint = { mediaType: string; fileName: string };

/**
 * Reads a document of any known format. Throws UNSUPPORTED_MEDIA_TYPE for what is none,
 * INVALID_REQUEST for one that cannot be read (damaged, encrypted, without text),
 * REQUEST_TOO_LARGE for one that asks for more bytes, text, memory or time than one may have,
 * UNAVAILABLE when too many wait, and the signal's reason. Every message is fit for the caller.
 */
export type ReadDocument = (
  bytes: Uint8Array,
  /** `owner`: who takes turns with others when many wait. */
  hint: DocumentHint & { owner: string },
  signal?: AbortSignal,
) => Promise<ChunkedDocument>;

export type DocumentFormat = 'pdf' | 'docx' | 'html' | 'markdown' | 'text';

export const MEDIA_TYPES: Readonly<Record<DocumentFormat, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  html: 'text/html',
  markdown: 'text/markdown',
  text: 'text/plain',
};

/** Bytes of one document. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** UTF-16 units of one document's text: some 3,000 printed pages. */
export const MAX_TEXT_LENGTH = 16 * 1024 * 1024;
