import type { Chunk } from '../chunks/split-chunks.ts';

/** The text of a document, with its title. */
export type DocumentText = {
  /** As detected, without parameters. */
  mediaType: string;
  /** The document's own title, else its file name, else its first words. Never empty. */
  title: string;
  /**
   * The stored text, which chunks refer to. Plain text and Markdown are unchanged except for a byte
   * order mark; other formats are converted, with Markdown for headings, list items and cells. Well
   * formed, without U+0000.
   */
  text: string;
  /** Start of each page in `text` (UTF-16 units), from page 1; absent: no pages. */
  pageStarts?: number[];
};

/**
 * A document with its chunks, which are made in the reading process because long texts take a
 * while.
 */
export type ChunkedDocument = DocumentText & { chunks: Chunk[] };

/** What the client declared about the bytes; empty: nothing. */
export type DocumentHint = { mediaType: string; fileName: string };

/**
 * Reads a document of a supported format. Throws UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST if it is
 * damaged, encrypted or has no text, REQUEST_TOO_LARGE if it exceeds a limit of bytes, text, memory
 * or time, UNAVAILABLE if too many documents wait, and the signal's reason. All messages are
 * client-visible.
 */
export type ReadDocument = (
  bytes: Uint8Array,
  /** `owner`: owners are served round-robin. */
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

/** Limit of one document, in bytes. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** Limit of one document's text, in UTF-16 units: about 3,000 printed pages. */
export const MAX_TEXT_LENGTH = 16 * 1024 * 1024;
