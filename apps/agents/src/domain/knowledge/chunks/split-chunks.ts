import type { DocumentText } from '../documents/document-text.ts';
import { createCutter, LOOKAHEAD } from './find-cut.ts';
import type { Reach } from './find-cut.ts';
import { createRuler } from './measure-tokens.ts';
import type { Ruler } from './measure-tokens.ts';

/** A piece of a document that can be found and cited alone. */
export type Chunk = {
  /** From 0, in the order of the document. */
  index: number;
  /** `document.text.slice(start, end)`, without white space around it. */
  text: string;
  start: number;
  end: number;
  /** From 1; null when the document has no pages. */
  page: number | null;
};

/**
 * Tokens of a chunk, as estimated. A question is answered by a paragraph or two (some 250 tokens):
 * less tears them apart, and of more a ranking by words finds only that the words are somewhere in
 * it. Ten passages of 400 leave a prompt room.
 */
export const MIN_CHUNK_TOKENS = 250;
export const MAX_CHUNK_TOKENS = 400;

/**
 * A document's text in pieces of 250 to 400 tokens; smaller only where a page or the document ends.
 * Every character but white space is in exactly one: nothing is shown to a model twice or counted
 * twice in a ranking, and what is cited has one place. No chunk spans pages, so that what is cited
 * as page 7 is on page 7. Cuts before a heading, else between paragraphs, lines of lists, tables
 * and code, sentences, words, and inside a word between what a reader takes for characters. Linear
 * in the text's length.
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

/** What the last chunk of a page holds at the least, if there is another. */
const LEAST_REST_TOKENS = 150;

/**
 * How far 250 and 400 tokens reach; undefined: all that is left is one chunk. Where more than one
 * and less than two are left, both get their share: no crumb stays behind.
 */
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

/** Sticky, and matches the empty string: it never fails, and never looks further than it must. */
const SPACE = /\s*/y;
