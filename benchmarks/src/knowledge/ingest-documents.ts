import type { KnowledgeTestbed } from './open-knowledge-testbed.ts';
import { createRandom } from '@witan/testing/create-random';
import { createWriter } from './document-writer.ts';

/** A workspace with one knowledge source, and the share of all chunks that it gets. */
export type Collection = { workspaceId: string; sourceId: string; share: number };

/** Totals of an ingestion so far. */
export type IngestionTotals = { chunks: number; documents: number; bytes: number; seconds: number };

/**
 * Share of all chunks by workspace, so that one index contains workspaces of very different sizes.
 */
const SHARES: Readonly<Record<string, number>> = { ws_large: 0.7, ws_medium: 0.2, ws_small: 0.1 };
/**
 * Limits of the chunks per document, low enough that a document (at most 1 MiB) is indexed before
 * the call that creates it returns.
 */
const CHUNKS_MIN = 20;
const CHUNKS_MAX = 160;
/** Number of callers that ingest documents concurrently. */
const CALLERS = 2;
const PIECE_BYTES = 256 * 1024;
const TIMEOUT_MS = 120_000;
const SEED = 12;

export const createCollections = async ({ knowledge }: KnowledgeTestbed): Promise<Collection[]> =>
  Promise.all(
    Object.entries(SHARES).map(async ([workspaceId, share]) => {
      const options = { workspaceId, timeoutMs: TIMEOUT_MS };
      const { source } = await knowledge.createSource({ name: 'Shelf' }, options);
      return { workspaceId, sourceId: source!.id, share };
    }),
  );

/** Adds documents through the service until there are at least `wanted` chunks. */
export const ingestDocuments = async (
  testbed: KnowledgeTestbed,
  collections: readonly Collection[],
  { chunks: wanted, log }: { chunks: number; log: (line: string) => void },
): Promise<IngestionTotals> => {
  const random = createRandom(SEED);
  const writer = createWriter(random);
  const totals: IngestionTotals = { chunks: 0, documents: 0, bytes: 0, seconds: 0 };
  const startedAt = performance.now();
  let logged = 0;
  const addNextDocument = async (): Promise<void> => {
    const length = CHUNKS_MIN + Math.floor(random.next() * (CHUNKS_MAX - CHUNKS_MIN));
    const content = Buffer.from(writer.write(length));
    const chunkCount = await addDocument(testbed, pickCollection(collections, random.next()), {
      title: writer.title(),
      content,
    });
    totals.chunks += chunkCount;
    totals.documents += 1;
    totals.bytes += content.length;
    totals.seconds = (performance.now() - startedAt) / 1_000;
    if (totals.chunks - logged < wanted / PROGRESS_LINES) return;
    logged = totals.chunks;
    log(`${totals.chunks} chunks after ${totals.seconds.toFixed(0)} s`);
  };
  const ingest = async (): Promise<void> => {
    while (totals.chunks < wanted) await addNextDocument();
  };
  await Promise.all(Array.from({ length: CALLERS }, ingest));
  return totals;
};

const PROGRESS_LINES = 20;

const pickCollection = (collections: readonly Collection[], randomShare: number): Collection => {
  let rest = randomShare;
  return collections.find(({ share }) => (rest -= share) < 0) ?? collections[0]!;
};

/** Adds a document through the service and returns its number of chunks. */
export const addDocument = async (
  { knowledge }: KnowledgeTestbed,
  { workspaceId, sourceId }: Collection,
  { title, content }: { title: string; content: Buffer },
): Promise<number> => {
  const messages = async function* () {
    const value = { sourceId, title, fileName: '', mediaType: 'text/plain' };
    yield { message: { case: 'head' as const, value } };
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      const piece = content.subarray(at, at + PIECE_BYTES);
      yield { message: { case: 'content' as const, value: piece } };
    }
  };
  const options = { workspaceId, timeoutMs: TIMEOUT_MS };
  for await (const { document } of knowledge.addDocument(messages(), options)) {
    return document!.chunkCount;
  }
  throw new Error('A document was not answered.');
};
