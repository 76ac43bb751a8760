import type { Chunk, ChunkedDocument } from './documents/document-text.ts';
import { indexChunk } from './search/index-chunk.ts';
import { splitWords } from './search/split-words.ts';

export type ChunkEntry = {
  id: string;
  page: number | null;
  text: string;
  lexemes: readonly string[];
};

/**
 * Numbers of chunks that contain a base (the beginning of a word, see `baseOf`) at least once, at
 * least three times and at least six times.
 */
export type BaseTally = [chunks: number, thrice: number, sixTimes: number];

export type DocumentIndex = {
  title: string;
  mediaType: string;
  pageCount: number | null;
  chunkCount: number;
  /**
   * Batches of chunks, which can be iterated only once. They are computed lazily, because indexing
   * all chunks of a long document takes seconds.
   */
  batches: Iterable<ChunkEntry[]>;
  /** Returns the counts of the batches iterated so far. */
  totals: () => { wordCount: number; bases: ReadonlyMap<string, BaseTally> };
};

/** Number of chunks per batch; indexing them takes about 10 ms. */
const BATCH = 100;

export const indexDocument = (
  { title: ownTitle, mediaType, text: documentText, pageStarts, chunks }: ChunkedDocument,
  { givenTitle, newId }: { givenTitle: string; newId: (prefix: string) => string },
): DocumentIndex => {
  const title = givenTitle || ownTitle;
  const titleWords = splitWords(title);
  const bases = new Map<string, BaseTally>();
  let wordCount = 0;
  const toEntry = ({ start, end, page }: Chunk): ChunkEntry => {
    const text = documentText.slice(start, end);
    const indexed = indexChunk(text, titleWords);
    wordCount += indexed.wordCount;
    for (const [base, tiers] of indexed.tiers) tally(bases, base, tiers);
    return { id: newId('knc'), page, text, lexemes: indexed.lexemes };
  };
  function* batches(): Generator<ChunkEntry[]> {
    for (let index = 0; index < chunks.length; index += BATCH) {
      yield chunks.slice(index, index + BATCH).map(toEntry);
    }
  }
  return {
    title,
    mediaType,
    pageCount: pageStarts?.length ?? null,
    chunkCount: chunks.length,
    batches: batches(),
    totals: () => ({ wordCount, bases }),
  };
};

const tally = (tallies: Map<string, BaseTally>, base: string, tiers: number): void => {
  let counts = tallies.get(base);
  if (!counts) tallies.set(base, (counts = [0, 0, 0]));
  for (let tier = 0; tier < tiers; tier += 1) counts[tier]! += 1;
};
