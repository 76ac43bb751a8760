import type { DocumentText } from '../documents/document-text.ts';
import { createCutter, LOOKAHEAD } from './find-cut.ts';
import type { Reach } from './find-cut.ts';
import { createRuler } from './measure-tokens.ts';
import type { Ruler } from './measure-tokens.ts';

export type Chunk = {
  index: number;
  /** `document.text.slice(start, end)`, trimmed. */
  text: string;
  start: number;
  end: number;
  page: number | null;
};

/**
 * Estimated tokens of a chunk. A typical answer to a query is a paragraph or two, about 250 tokens:
 * smaller chunks split it, larger ones make word ranking imprecise. Ten passages of 400 tokens fit
 * into a prompt.
 */
export const MIN_CHUNK_TOKENS = 250;
export const MAX_CHUNK_TOKENS = 400;

/**
 * Splits a document's text into chunks of 250 to 400 tokens, smaller only at the end of a page or
 * document. Chunks do not overlap and cover everything but white space. No chunk spans pages, so
 * that page citations are exact. Linear in the text's length.
 */
export const splitChunks = (document: Pick<DocumentText, 'text' | 'pageStarts'>): Chunk[] => {
  const { text, pageStarts } = document;
  const chunks: Chunk[] = [];
  for (const [at, from] of (pageStarts ?? [0]).entries()) {
    const end = pageStarts?.[at + 1] ?? text.length;
    const page = pageStarts ? at + 1 : null;
    for (const span of splitPage(text, from, end)) {
      const chunk = text.slice(span.start, span.end);
      chunks.push({ index: chunks.length, text: chunk, ...span, page });
    }
  }
  return chunks;
};

type Span = { start: number; end: number };

const splitPage = (text: string, from: number, end: number): Span[] => {
  const spans: Span[] = [];
  const cutter = createCutter();
  const ruler = createRuler(text, from, end);
  let start = skipSpace(text, from, end);
  while (start < end) {
    const reach = reachOf(ruler, start);
    const seen = Math.min(end, start + (reach?.max ?? 0) + LOOKAHEAD);
    const stop = reach ? start + cutter.findCut(text.slice(start, seen), reach) : end;
    spans.push({ start, end: start + text.slice(start, stop).trimEnd().length });
    start = skipSpace(text, stop, end);
  }
  return spans;
};

/** Minimum for the last chunk of a page with several chunks. */
const LEAST_REST_TOKENS = 150;

const reachOf = (ruler: Ruler, start: number): Reach | undefined => {
  const left = ruler.tokensLeft(start, MIN_CHUNK_TOKENS + MAX_CHUNK_TOKENS);
  if (left <= MAX_CHUNK_TOKENS) return undefined;
  const most = Math.min(MAX_CHUNK_TOKENS, left - LEAST_REST_TOKENS);
  const least = Math.min(MIN_CHUNK_TOKENS, Math.ceil(left / 2));
  const max = ruler.endWithin(start, most) - start;
  return { min: Math.min(max, ruler.endWithin(start, least) - start), max };
};

const skipSpace = (text: string, from: number, end: number): number => {
  SPACE.lastIndex = from;
  SPACE.test(text);
  return Math.min(end, SPACE.lastIndex);
};

/** Sticky and matching the empty string: it never fails and never scans ahead. */
const SPACE = /\s*/y;
