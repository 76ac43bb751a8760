import type { DocumentFormat, DocumentHint } from './document-text.ts';
import { MEDIA_TYPES } from './document-text.ts';
import { unsupportedFormat } from './document-refusals.ts';

const HEAD_BYTES = 1024;

/**
 * Returns the format of a document by its content, otherwise by its media type, otherwise by its
 * file name. Throws UNSUPPORTED_MEDIA_TYPE for a known unsupported format, and for content that is
 * not the declared PDF or DOCX. Returns `docx` for any ZIP that is not empty and `text` for unknown
 * content, so reading may still fail.
 */
export const recogniseFormat = (bytes: Uint8Array, hint: DocumentHint): DocumentFormat => {
  const declared = declaredFormat(hint);
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  if (/^(\xef\xbb\xbf)?\s*%PDF-/.test(head)) return 'pdf';
  // A PDF may have other bytes before its signature, and a text may mention the signature, so the
  // declared type decides.
  if (declared === 'pdf' && head.includes('%PDF-')) return 'pdf';
  if (head.startsWith('PK\x03\x04')) return 'docx';
  const unsupported = UNSUPPORTED.find(([signature]) => head.startsWith(signature));
  if (unsupported) throw unsupportedFormat(unsupported[1]);
  if (declared === 'pdf' || declared === 'docx') {
    throw unsupportedFormat(`The document came as ${MEDIA_TYPES[declared]} and is none.`);
  }
  // In UTF-16 every ASCII letter comes with a zero byte, which is removed before the match.
  if (HTML_START.test(head.replaceAll('\0', ''))) return 'html';
  return declared ?? formatOfName(hint.fileName) ?? 'text';
};

/**
 * Start of an HTML document, which may follow a byte order mark, an XML declaration and comments.
 */
const HTML_START =
  /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[^])*-->\s*)*<(!doctype\s+html|html)[\s>]/i;

const UNSUPPORTED: readonly (readonly [signature: string, message: string])[] = [
  ['{\\rtf', 'The document is RTF.'],
  ['%!PS', 'The document is PostScript.'],
  ['PK\x05\x06', 'The document is an empty ZIP file.'],
  [
    '\xd0\xcf\x11\xe0',
    'The document is an old or a password-protected Office file; save it as DOCX without one.',
  ],
];

const FORMAT_OF_TYPE: Readonly<Record<string, DocumentFormat>> = {
  ...Object.fromEntries(
    Object.entries(MEDIA_TYPES).map(([format, type]) => [type, format as DocumentFormat]),
  ),
  'application/xhtml+xml': 'html',
  'text/x-markdown': 'markdown',
};

const declaredFormat = ({ mediaType, fileName }: DocumentHint): DocumentFormat | undefined => {
  const type = mediaType.split(';')[0]!.trim().toLowerCase();
  const format = Object.hasOwn(FORMAT_OF_TYPE, type) ? FORMAT_OF_TYPE[type] : undefined;
  // Many programs declare Markdown as plain text, so the file name decides between the two.
  if (format === 'text' && formatOfName(fileName) === 'markdown') return 'markdown';
  return format;
};

const formatOfName = (fileName: string): 'html' | 'markdown' | undefined => {
  if (/\.(html?|xhtml)$/i.test(fileName)) return 'html';
  return /\.(md|markdown|mdown|mkd)$/i.test(fileName) ? 'markdown' : undefined;
};
