import type { DocumentFormat, DocumentHint } from './document-text.ts';
import { MEDIA_TYPES } from './document-text.ts';
import { unknownFormat } from './document-refusals.ts';

/** Where a PDF's or an HTML page's first sign may stand, in bytes. */
const HEAD_BYTES = 1024;

/**
 * What a document is: by its content, then by the media type it came with, then by its file name.
 * Throws UNSUPPORTED_MEDIA_TYPE for what is known to be something else. A ZIP passes for DOCX and
 * anything else for text until it is read.
 */
export const recogniseFormat = (bytes: Uint8Array, hint: DocumentHint): DocumentFormat => {
  const declared = declaredFormat(hint);
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  if (/^(\xef\xbb\xbf)?\s*%PDF-/.test(head)) return 'pdf';
  // Others' junk may stand before it, but a text about PDF is not one.
  if (declared === 'pdf' && head.includes('%PDF-')) return 'pdf';
  if (head.startsWith('PK\x03\x04')) return 'docx';
  const foreign = FOREIGN.find(([sign]) => head.startsWith(sign));
  if (foreign) throw unknownFormat(foreign[1]);
  if (declared === 'pdf' || declared === 'docx') {
    throw unknownFormat(`The document came as ${MEDIA_TYPES[declared]} and is none.`);
  }
  // UTF-16 has a zero beside every letter.
  if (HTML_START.test(head.replaceAll('\0', ''))) return 'html';
  return declared ?? formatOfName(hint.fileName) ?? 'text';
};

/** A page, whatever its sender calls it: comments and an XML declaration may stand first. */
const HTML_START =
  /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[^])*-->\s*)*<(!doctype\s+html|html)[\s>]/i;

/** What would pass for text, or whose refusal can say more than that it is none. */
const FOREIGN: readonly (readonly [sign: string, sentence: string])[] = [
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

/** What the media type says; those that say nothing of the content say nothing here. */
const declaredFormat = ({ mediaType, fileName }: DocumentHint): DocumentFormat | undefined => {
  const type = mediaType.split(';')[0]!.trim().toLowerCase();
  const format = Object.hasOwn(FORMAT_OF_TYPE, type) ? FORMAT_OF_TYPE[type] : undefined;
  // Few programs know Markdown; its text is the same either way.
  if (format === 'text' && formatOfName(fileName) === 'markdown') return 'markdown';
  return format;
};

const formatOfName = (fileName: string): 'html' | 'markdown' | undefined => {
  if (/\.(html?|xhtml)$/i.test(fileName)) return 'html';
  return /\.(md|markdown|mdown|mkd)$/i.test(fileName) ? 'markdown' : undefined;
};
