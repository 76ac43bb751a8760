export type DocumentText = {
  mediaType: string;
  /** Title of the document, otherwise its file name, otherwise its first words; never empty. */
  title: string;
  /**
   * Text that is stored and to which the offsets of chunks refer. Plain text and Markdown lose only
   * their byte order mark; HTML and Word documents are converted to Markdown, and PDF to plain
   * text. The text is well formed and contains no U+0000.
   */
  text: string;
  /** Start of each page in `text`, in UTF-16 units; undefined if the document has no pages. */
  pageStarts?: number[];
};

/** Part of a document's text, which neither begins nor ends with white space. */
export type Chunk = { start: number; end: number; page: number | null };

export type ChunkedDocument = DocumentText & { chunks: Chunk[] };

/**
 * Reads a document. Rejects with UNSUPPORTED_MEDIA_TYPE; INVALID_REQUEST for a damaged, encrypted
 * or empty document; REQUEST_TOO_LARGE if it exceeds a limit of bytes, text, pages, nesting, memory
 * or time; UNAVAILABLE if the queue is full, no process can be started or the service stops; or
 * with the signal's reason.
 */
export type ReadDocument = (
  bytes: Uint8Array,
  /** `owner` is the workspace. Documents of different owners are read round-robin. */
  hint: DocumentHint & { owner: string },
  signal?: AbortSignal,
) => Promise<ChunkedDocument>;

export type DocumentHint = { mediaType: string; fileName: string };

export type DocumentFormat = 'pdf' | 'docx' | 'html' | 'markdown' | 'text';

export const MEDIA_TYPES: Readonly<Record<DocumentFormat, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  html: 'text/html',
  markdown: 'text/markdown',
  text: 'text/plain',
};

export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

export const MAX_TEXT_LENGTH = 16 * 1024 * 1024;
