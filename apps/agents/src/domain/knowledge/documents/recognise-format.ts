import type { DocumentFormat, DocumentHint } from './document-text.ts';
import { MEDIA_TYPES } from './document-text.ts';
import { unsupportedFormat } from './document-refusals.ts';

const HEAD_BYTES = 1024;

/**
 * Detects a format by content, then by media type, then by file name. Throws UNSUPPORTED_MEDIA_TYPE
 * for a known unsupported format. Any ZIP is reported as DOCX and unknown content as text, so
 * reading may still fail.
 */
export const recogniseFormat = (bytes: Uint8Array, hint: DocumentHint): DocumentFormat => {
  const declared = declaredFormat(hint);
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  if (/^(\xef\xbb\xbf)?\s*%PDF-/.test(head)) return 'pdf';
  // Other bytes may precede the signature. Since a text may also mention it, the declared type
  // decides.
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

/** Comments and an XML declaration may precede the start of HTML. */
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
  // Most programs declare Markdown as plain text, so the file name decides.
  if (format === 'text' && formatOfName(fileName) === 'markdown') return 'markdown';
  return format;
};

const formatOfName = (fileName: string): 'html' | 'markdown' | undefined => {
  if (/\.(html?|xhtml)$/i.test(fileName)) return 'html';
  return /\.(md|markdown|mdown|mkd)$/i.test(fileName) ? 'markdown' : undefined;
};
