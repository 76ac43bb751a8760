import { Parser } from 'htmlparser2';
import { tooLarge } from '../documents/document-refusals.ts';
import { createBlockWriter } from './block-writer.ts';
import type { BlockWriter } from './block-writer.ts';

export const readHtml = (html: string): { text: string; title: string } => {
  const writer = createBlockWriter();
  let title = '';
  let depth = 0;
  let skippedDepth = 0;
  let preDepth = 0;
  let isTitle = false;
  let listDepth = 0;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      depth += 1;
      // The depth is limited, because the parser slows down with each nesting level; real pages
      // have a few dozen.
      if (depth > MAX_DEPTH) throw tooLarge(`The page nests deeper than ${MAX_DEPTH} elements.`);
      if (name === 'title' && title === '') isTitle = true;
      if (skippedDepth > 0) return;
      if (SKIPPED_ELEMENTS.has(name) || isHidden(attributes)) skippedDepth = depth;
      else if (isList(name)) listDepth += 1;
      if (name === 'pre' && preDepth === 0) preDepth = depth;
      if (skippedDepth === 0) startElement(writer, name, listDepth);
    },
    ontext: (text) => {
      if (isTitle) title = (title + text).slice(0, MAX_TITLE_LENGTH);
      else if (skippedDepth > 0) return;
      else if (preDepth > 0) writer.writeLines(text);
      else writer.write(text);
    },
    onclosetag: (name) => {
      if (name === 'title') isTitle = false;
      if (skippedDepth === 0) {
        if (isList(name)) listDepth -= 1;
        endElement(writer, name, listDepth);
      }
      if (depth === skippedDepth) skippedDepth = 0;
      if (depth === preDepth) preDepth = 0;
      depth -= 1;
    },
  });
  parser.end(html);
  return { text: writer.end(), title };
};

const MAX_DEPTH = 512;
const MAX_TITLE_LENGTH = 1000;

const isList = (name: string): boolean => name === 'ul' || name === 'ol';
const isHeading = (name: string): boolean => /^h[1-6]$/.test(name);

const startElement = (writer: BlockWriter, name: string, listDepth: number): void => {
  if (isHeading(name)) writer.startHeading(Number(name[1]));
  else if (name === 'li') writer.startItem(Math.max(0, listDepth - 1));
  else if (name === 'tr') writer.startRow();
  else if (name === 'td' || name === 'th') writer.startCell();
  else if (isList(name) && listDepth > 1) writer.startLine();
  else if (BLOCKS.has(name)) writer.startBlock();
  else if (LINES.has(name)) writer.startLine();
};

const endElement = (writer: BlockWriter, name: string, listDepth: number): void => {
  if (isHeading(name) || name === 'li') writer.endLinePrefix();
  if (name === 'tr') writer.endRow();
  else if (isList(name) && listDepth > 0) writer.startLine();
  else if (BLOCKS.has(name)) writer.startBlock();
  else if (LINES.has(name)) writer.startLine();
};

/**
 * Returns true for an element that its own attributes hide. Its text is skipped: readers of the
 * page do not see it, so it could contain a prompt injection.
 */
const isHidden = ({ hidden, style }: Record<string, string>): boolean =>
  hidden !== undefined || (style !== undefined && HIDING_STYLE.test(style));

const HIDING_STYLE = /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)\b/i;

const SKIPPED_ELEMENTS = new Set(
  (
    'head title script style noscript template svg iframe object canvas audio video select ' +
    'datalist textarea map'
  ).split(' '),
);

const BLOCKS = new Set(
  (
    'p div section article header footer main nav aside ul ol dl table caption pre blockquote ' +
    'figure figcaption form fieldset details summary address hr h1 h2 h3 h4 h5 h6 body'
  ).split(' '),
);

const LINES = new Set('br li dt dd legend'.split(' '));

export const charsetOfPage = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const found = /<meta[^>]{0,200}\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1];
  // A page whose charset declaration is readable as ASCII cannot be encoded as UTF-16; the HTML
  // standard reads it as UTF-8.
  return found && /^utf-?16/i.test(found) ? 'utf-8' : found;
};

/** Number of leading bytes that the HTML standard searches for a charset declaration. */
const HEAD_BYTES = 1024;
