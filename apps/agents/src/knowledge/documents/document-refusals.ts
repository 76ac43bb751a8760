import type { Reason } from '@witan/contracts';
import { MAX_DOCUMENT_BYTES, MAX_TEXT_LENGTH } from './document-text.ts';

/**
 * Rejection of a document, with a client-visible message. The reading process does not use
 * `ServiceError`, because importing the contracts would take longer than reading most documents;
 * the parent process converts the rejection.
 */
export class DocumentRefusal extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DocumentRefusal';
    this.reason = reason;
  }
}

const ACCEPTED = 'Send plain text, Markdown, HTML, PDF or DOCX.';

export const unsupportedFormat = (subject: string): DocumentRefusal =>
  new DocumentRefusal('UNSUPPORTED_MEDIA_TYPE', `${subject} ${ACCEPTED}`);

export const unreadable = (message: string, cause?: unknown): DocumentRefusal =>
  new DocumentRefusal('INVALID_REQUEST', message, { cause });

export const damagedDocument = (subject: string, cause?: unknown): DocumentRefusal =>
  unreadable(`${subject} is damaged; save or export it again.`, cause);

export const noTextFound = (subject: string): DocumentRefusal =>
  unreadable(`${subject} holds no text; if it is scanned, run text recognition over it first.`);

export const tooLarge = (message: string): DocumentRefusal =>
  new DocumentRefusal('REQUEST_TOO_LARGE', message);

export const tooManyBytes = (): DocumentRefusal =>
  tooLarge(`The document is larger than ${MAX_DOCUMENT_BYTES} bytes; split it.`);

export const tooMuchText = (): DocumentRefusal =>
  tooLarge(`The document holds more than ${MAX_TEXT_LENGTH} characters of text; split it.`);

export const tooMuchMemory = (): DocumentRefusal =>
  tooLarge('Reading the document takes more memory than one may have; split it.');

export const tooMuchTime = (): DocumentRefusal =>
  tooLarge('Reading the document takes longer than one may; split it.');
