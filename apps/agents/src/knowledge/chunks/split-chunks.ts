import type { DocumentHint } from '../documents/document-text.ts';
import type { DocumentText } from '../documents/document-text.ts';
import { createCutter, LOOKAHEAD } from './create-cutter.ts';
import type { LengthRange } from './create-cutter.ts';
import { createTokenCounter } from './create-token-counter.ts';
import type { TokenCounter } from './create-token-counter.ts';

export type Chunk = {
  index: number;
  /** `document.text.slice(start, end)`, which neither begins nor ends with white space. */
  text: string;
  start: number;
  end: number;
  page: number | null;
};

/**
 * Minimum and maximum estimated tokens of a chunk. The passage that answers a query is typically
 * one or two paragraphs, about 250 tokens: smaller chunks would split it, and larger ones would
 * make the ranking by words imprecise. Ten chunks of 400 tokens fit into a prompt.
 */
export const MIN_CHUNK_TOKENS = 250;
export const MAX_CHUNK_TOKENS = 400;

/**
 * Splits a document's text into chunks of 250 to 400 tokens; only the last chunks of a page may be
 * smaller. Chunks do not overlap and cover everything but white space. No chunk spans pages, so
 * that page citations are exact. Takes linear time.
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

export type ChunkedDocument = DocumentText & { chunks: Chunk[] };

/**
 * Reads a document. Rejects with UNSUPPORTED_MEDIA_TYPE; INVALID_REQUEST for a damaged, encrypted
 * or empty document; REQUEST_TOO_LARGE if it exceeds a limit of bytes, text, memory or time;
 * UNAVAILABLE if the queue is full; or with the signal's reason.
 */
export type ReadDocument = (
  bytes: Uint8Array,
  /** `owner` is, for example, a workspace. Documents of different owners are read round-robin. */
  hint: DocumentHint & { owner: string },
  signal?: AbortSignal,
) => Promise<ChunkedDocument>;
