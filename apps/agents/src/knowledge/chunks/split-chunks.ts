import type { Chunk, DocumentText } from '../documents/document-text.ts';
import { createCutter, LOOKAHEAD } from './create-cutter.ts';
import type { LengthRange } from './create-cutter.ts';
import { createTokenCounter } from './create-token-counter.ts';
import type { TokenCounter } from './create-token-counter.ts';

/**
 * Minimum and maximum estimated tokens of a chunk. The passage that answers a query is typically
 * one or two paragraphs, about 250 tokens: smaller chunks would split it, and larger ones would
 * make the ranking by words imprecise.
 */
export const MIN_CHUNK_TOKENS = 250;
export const MAX_CHUNK_TOKENS = 400;

/**
 * Splits a document's text into chunks of about 250 to 400 tokens, never more than 400; only the
 * last two chunks of a page may be smaller. Chunks do not overlap and cover everything but white
 * space. No chunk spans pages, so that page citations are exact. Takes linear time.
 */
export const splitChunks = (document: Pick<DocumentText, 'text' | 'pageStarts'>): Chunk[] => {
  const { text, pageStarts } = document;
  const chunks: Chunk[] = [];
  for (const [index, from] of (pageStarts ?? [0]).entries()) {
    const end = pageStarts?.[index + 1] ?? text.length;
    const page = pageStarts ? index + 1 : null;
    for (const span of splitPage(text, from, end)) chunks.push({ ...span, page });
  }
  return chunks;
};

type Span = Omit<Chunk, 'page'>;

const splitPage = (text: string, from: number, end: number): Span[] => {
  const spans: Span[] = [];
  const cutter = createCutter();
  const tokenCounter = createTokenCounter(text, from, end);
  let start = skipSpace(text, from, end);
  while (start < end) {
    const range = rangeOf(tokenCounter, start);
    const windowEnd = Math.min(end, start + (range?.max ?? 0) + LOOKAHEAD);
    const cutAt = range ? start + cutter.findCut(text.slice(start, windowEnd), range) : end;
    spans.push({ start, end: start + text.slice(start, cutAt).trimEnd().length });
    start = skipSpace(text, cutAt, end);
  }
  return spans;
};

/** Minimum number of tokens of a page's last chunk, if the page has several chunks. */
const LAST_CHUNK_MIN_TOKENS = 150;

const rangeOf = (tokenCounter: TokenCounter, start: number): LengthRange | undefined => {
  const left = tokenCounter.tokensLeft(start, MIN_CHUNK_TOKENS + MAX_CHUNK_TOKENS);
  if (left <= MAX_CHUNK_TOKENS) return undefined;
  const tokensMax = Math.min(MAX_CHUNK_TOKENS, left - LAST_CHUNK_MIN_TOKENS);
  const tokensMin = Math.min(MIN_CHUNK_TOKENS, Math.ceil(left / 2));
  const max = tokenCounter.endWithin(start, tokensMax) - start;
  return { min: Math.min(max, tokenCounter.endWithin(start, tokensMin) - start), max };
};

const skipSpace = (text: string, from: number, end: number): number => {
  SPACE.lastIndex = from;
  SPACE.test(text);
  return Math.min(end, SPACE.lastIndex);
};

/**
 * Matches the white space at `lastIndex`, possibly none: the pattern is sticky, so it never fails
 * and never scans ahead.
 */
const SPACE = /\s*/y;
