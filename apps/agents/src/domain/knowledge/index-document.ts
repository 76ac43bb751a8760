import type { ChunkedDocument } from './documents/document-text.ts';
import { indexChunk } from './search/index-chunk.ts';
import { splitWords } from './search/split-words.ts';

/** A chunk on its way into the database. */
export type ChunkEntry = {
  id: string;
  page: number | null;
  text: string;
  lexemes: readonly string[];
};

/** In how many of a document's chunks a base stands: at all, three times, six times. */
export type BaseTally = [chunks: number, thrice: number, sixTimes: number];

/** A document as it is written. */
export type DocumentIndex = {
  title: string;
  mediaType: string;
  pageCount: number | null;
  chunkCount: number;
  /** To be read once. Each batch is made when it is asked for: a long document takes seconds. */
  batches: Iterable<ChunkEntry[]>;
  /** Of the batches that were read. */
  totals: () => { wordCount: number; bases: ReadonlyMap<string, BaseTally> };
};

/** Chunks that are made at once: some 10 ms of work. */
const BATCH = 100;

/** Everything about a document that is kept; `givenTitle` goes before its own. */
export const indexDocument = (
  { title: ownTitle, mediaType, pageStarts, chunks }: ChunkedDocument,
  { givenTitle, newId }: { givenTitle: string; newId: (prefix: string) => string },
): DocumentIndex => {
  const title = givenTitle || ownTitle;
  const titleWords = splitWords(title);
  const bases = new Map<string, BaseTally>();
  let wordCount = 0;
  const toEntry = ({ text, page }: ChunkedDocument['chunks'][number]): ChunkEntry => {
    const indexed = indexChunk(text, titleWords);
    wordCount += indexed.wordCount;
    for (const [base, tiers] of indexed.tiers) tally(bases, base, tiers);
    return { id: newId('knc'), page, text, lexemes: indexed.lexemes };
  };
  function* batches(): Generator<ChunkEntry[]> {
    for (let at = 0; at < chunks.length; at += BATCH) {
      yield chunks.slice(at, at + BATCH).map(toEntry);
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
