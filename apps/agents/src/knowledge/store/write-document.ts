import { conflict } from '@witan/contracts';
import type { PoolClient } from 'pg';
import type { NewDocument } from '../document.ts';
import type { ChunkEntry, DocumentIndex, BaseTally } from '../index-document.ts';
import { noSuchSource } from '../knowledge.ts';

type DocumentRow = NewDocument & { workspaceId: string; status: 'ready' | 'processing' };

/** Maximum number of documents of a source. */
const DOCUMENTS_MAX = 10_000;
const BASES_PER_STATEMENT = 5_000;

/**
 * Inserts a document. Throws NOT_FOUND if its source does not exist or was deleted. The row of the
 * source cannot be purged until the transaction ends.
 */
export const insertDocument = async (client: PoolClient, row: DocumentRow): Promise<void> => {
  const locked = await client.query(LOCK_SOURCE, [row.workspaceId, row.sourceId]);
  if (locked.rowCount === 0) throw noSuchSource();
  const { id, workspaceId, sourceId, title, mediaType, status, size } = row;
  const { pageCount, chunkCount, createdAt } = row;
  await client.query(INSERT_DOCUMENT, [
    id,
    workspaceId,
    sourceId,
    title,
    mediaType,
    status,
    size,
    pageCount,
    chunkCount,
    createdAt,
  ]);
};

const LOCK_SOURCE = `
  SELECT id FROM knowledge_source WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL
  FOR KEY SHARE`;

const INSERT_DOCUMENT = `
  INSERT INTO knowledge_document (
    id, workspace_id, source_id, title, media_type, status, size, page_count, chunk_count,
    created_at
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

type ChunkOwner = { workspaceId: string; sourceId: string; documentId: string };

/** Inserts chunks in batches, so that the event loop runs between two batches. */
export const insertChunks = async (
  client: PoolClient,
  { workspaceId, sourceId, documentId }: ChunkOwner,
  batches: Iterable<ChunkEntry[]>,
  signal?: AbortSignal,
): Promise<void> => {
  for (const batch of batches) {
    signal?.throwIfAborted();
    await client.query(INSERT_CHUNKS, [
      workspaceId,
      sourceId,
      documentId,
      batch.map(({ id }) => id),
      batch.map(({ page }) => page),
      batch.map(({ text }) => text),
      batch.map(({ lexemes }) => lexemes.join(' ')),
    ]);
  }
};

const INSERT_CHUNKS = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($4::text[], $5::int[], $6::text[], $7::text[])
      AS given (id, page, text, lexemes)
  ), written AS (
    INSERT INTO knowledge_chunk (id, workspace_id, source_id, document_id, page, text)
    SELECT id, $1, $2, $3, page, text FROM given
  )
  INSERT INTO knowledge_entry (chunk_id, search)
  SELECT given.id, array_to_tsvector(
    string_to_array(no || '.' || replace(lexemes, ' ', ' ' || no || '.'), ' ')
  )
  FROM given, knowledge_source WHERE knowledge_source.id = $2`;

export const addToCounts = async (
  client: PoolClient,
  { workspaceId, sourceId }: Omit<ChunkOwner, 'documentId'>,
  { documents, index }: { documents: number; index: DocumentIndex | undefined },
): Promise<void> => {
  const { wordCount, bases } = index?.totals() ?? EMPTY;
  const chunks = index?.chunkCount ?? 0;
  const countedBases = await client.query<{ no: number; document_count: number }>(ADD_TO_COUNTS, [
    workspaceId,
    sourceId,
    documents,
    chunks,
    wordCount,
  ]);
  const [source] = countedBases.rows;
  if (!source) throw noSuchSource();
  if (documents > 0 && source.document_count > DOCUMENTS_MAX) {
    const message = `This source has ${DOCUMENTS_MAX} documents, as many as it may; use another.`;
    throw conflict(message, { code: 'document_limit_reached' });
  }
  await countBases(client, source.no, bases);
  // Merges the pending list of the GIN index, because every search scans it, and this document has
  // added to it.
  if (chunks > 0) await client.query(MERGE_PENDING);
};

const MERGE_PENDING = `SELECT gin_clean_pending_list('knowledge_entry_search')`;

const EMPTY = { wordCount: 0, bases: new Map<string, BaseTally>() };

const ADD_TO_COUNTS = `
  UPDATE knowledge_source SET
    document_count = document_count + $3, chunk_count = chunk_count + $4,
    word_count = word_count + $5
  WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL
  RETURNING no, document_count`;

const countBases = async (
  client: PoolClient,
  sourceNo: number,
  bases: ReadonlyMap<string, BaseTally>,
): Promise<void> => {
  const all = [...bases];
  for (let index = 0; index < all.length; index += BASES_PER_STATEMENT) {
    const statementBases = all.slice(index, index + BASES_PER_STATEMENT);
    await client.query(COUNT_BASES, [
      sourceNo,
      statementBases.map(([base]) => base),
      ...[0, 1, 2].map((tier) => statementBases.map(([, tally]) => tally[tier])),
    ]);
  }
};

const COUNT_BASES = `
  INSERT INTO knowledge_base AS known (source_no, base, chunks, thrice, six_times)
  SELECT $1, * FROM unnest($2::text[], $3::int[], $4::int[], $5::int[])
  ON CONFLICT (source_no, base) DO UPDATE SET
    chunks = known.chunks + excluded.chunks, thrice = known.thrice + excluded.thrice,
    six_times = known.six_times + excluded.six_times`;
