import { randomUUID } from 'node:crypto';
import { everyWorkspace, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { PoolClient } from 'pg';
import type { EmbeddingQueue, LeasedEmbedding } from '../similarity/embedding-queue.ts';
import type { FindNearest } from '../similarity/find-similar.ts';
import type { StaleDocuments } from '../similarity/reset-stale.ts';
import { fromBytes, toBytes, toCode, toMean } from '../similarity/unit-vector.ts';
import type { UnitVector } from '../similarity/unit-vector.ts';

/** Returns a search among the vectors of `model`. */
export const createFindNearest =
  ({ scopedClient }: Pick<Database, 'scopedClient'>, model: string): FindNearest =>
  (workspaceId, sourceNos, { origin, vector, limit }) => {
    const scope = workspaceScope(workspaceId);
    return scopedClient(scope, async (client) => {
      const [space] = (await client.query<Space>(FIND_SPACE, [workspaceId, model, origin])).rows;
      const code = toCode(vector, toStoredMean(space));
      const values = [scope.setting, sourceNos, model, origin, code, limit];
      const { rows } = await client.query<VectorRow>(FIND_NEAREST, values);
      return rows.map((row) => ({ chunkId: row.chunkId, vector: fromBytes(row.vector) }));
    });
  };

type VectorRow = { chunkId: string; vector: Buffer };
/** `saved` counts all vectors that were ever saved. */
type Space = { saved: number; mean: Buffer | null };

const toStoredMean = (space: Space | undefined): UnitVector | undefined =>
  space?.mean ? fromBytes(space.mean) : undefined;

const FIND_SPACE = `
  SELECT mean FROM knowledge_vector_space
  WHERE workspace_id = $1 AND model = $2 AND origin = $3`;

const FIND_NEAREST = `
  SELECT chunk_id AS "chunkId", vector FROM nearest_vectors($1, $2, $3, $4, $5, $6)`;

/** Returns the queue of the documents whose chunks have no vectors of `model`. */
export const createEmbeddingQueue = (database: Database, model: string): EmbeddingQueue => ({
  claim: ({ leaseMs, after, without }) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const lease = randomUUID();
      const claimAfter = async (workspaceId: string): Promise<LeasedEmbedding | undefined> => {
        const values = [lease, leaseMs, workspaceId, without];
        const [row] = (await client.query<LeasedEmbedding>(CLAIM, values)).rows;
        return row && { ...row, lease };
      };
      return (await claimAfter(after)) ?? (await claimAfter(''));
    }),
  nextChunks: ({ workspaceId, id, sourceId }, { after, limit }) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const values = [id, model, after, limit, sourceId];
      const { rows } = await client.query<PendingRow>(NEXT_CHUNKS, values);
      return { chunks: rows, agentModels: rows[0]?.agentModels ?? [] };
    }),
  save: ({ workspaceId, id, sourceId, lease }, { origin, chunks, leaseMs }) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const renewed = await client.query(RENEW, [id, lease, leaseMs]);
      if (renewed.rowCount !== 1) return false;
      const key = [workspaceId, model, origin];
      const [space] = (await client.query<Space>(COUNT_SAVED, [...key, chunks.length])).rows;
      const mean = toStoredMean(space);
      await client.query(SAVE, [
        workspaceId,
        sourceId,
        model,
        origin,
        chunks.map((chunk) => chunk.id),
        chunks.map(({ vector }) => toCode(vector, mean)),
        chunks.map(({ vector }) => Buffer.from(toBytes(vector))),
      ]);
      if (!mean && space!.saved >= MEAN_OF) await centreCodes(client, key);
      return true;
    }),
  finish: ({ workspaceId, id, lease }, { hasFailed }) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      await client.query(FINISH, [id, lease, model, hasFailed]);
    }),
  release: ({ workspaceId, id, sourceId, lease }, { delayMs, isUnpaid, ofSource = false }) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      await client.query(RELEASE, [id, lease, delayMs, isUnpaid]);
      if (ofSource) await client.query(POSTPONE_SOURCE, [sourceId, delayMs]);
    }),
});

/**
 * Number of vectors of which the mean is calculated. Until there are as many, a search compares all
 * of them exactly (`NEAREST`), and their codes do not matter.
 */
const MEAN_OF = 1_024;

/**
 * Fixes the mean of a workspace's vectors of one origin, and makes their codes again around it. The
 * caller has locked the row of the space, so that no vector is saved with a code of another mean.
 */
const centreCodes = async (client: PoolClient, key: readonly string[]): Promise<void> => {
  let mean: Float16Array | undefined;
  for (let after = ''; ;) {
    const { rows } = await client.query<VectorRow>(NEXT_VECTORS, [...key, after, MEAN_OF]);
    if (rows.length === 0) return;
    const vectors = rows.map(({ vector }) => fromBytes(vector));
    if (!mean) {
      mean = toMean(vectors);
      await client.query(SET_MEAN, [...key, Buffer.from(toBytes(mean))]);
    }
    const ids = rows.map(({ chunkId }) => chunkId);
    await client.query(SET_CODES, [ids, vectors.map((vector) => toCode(vector, mean))]);
    after = ids.at(-1)!;
  }
};

/** Returns access to the finished documents whose vectors are not of `model`. */
export const createStaleDocuments = (
  { scopedClient }: Pick<Database, 'scopedClient'>,
  model: string,
): StaleDocuments => {
  // Two statements, because each reads one range of an index.
  const countFirst = (toStatement: (comparison: string) => string): Promise<number> =>
    scopedClient(everyWorkspace, async (client) => {
      const before = (await client.query(toStatement('<'), [model])).rowCount!;
      return before || (await client.query(toStatement('>'), [model])).rowCount!;
    });
  return {
    exist: async () => (await countFirst(toFindStale)) > 0,
    reset: () => countFirst(toResetStale),
  };
};

/** Number of documents that are queued again at once when the model was changed. */
const STALE_MAX = 1_000;

const toFindStale = (comparison: string): string =>
  `SELECT FROM knowledge_document WHERE embedded_model ${comparison} $1 LIMIT 1`;

const toResetStale = (comparison: string): string => `
  UPDATE knowledge_document SET
    embedded_model = NULL, embedding_failed = false, embedding_attempts = 0,
    embedding_paid_attempts = 0, embedding_due_at = '-infinity'
  WHERE id IN (
    SELECT id FROM knowledge_document WHERE embedded_model ${comparison} $1
    LIMIT ${STALE_MAX} FOR NO KEY UPDATE SKIP LOCKED
  )`;

/**
 * Leases the next document: of the first workspace after `$3` that has one, so that workspaces are
 * served round-robin. `embedding_due_at` becomes the end of the lease. Each lease counts as paid
 * until its release says otherwise, so that calls of processes that crash are limited as well.
 */
const CLAIM = `
  WITH next AS MATERIALIZED (
    SELECT document.id FROM knowledge_document AS document
    JOIN knowledge_source AS source ON source.id = document.source_id
    WHERE document.embedded_model IS NULL AND document.status = 'ready'
      AND document.embedding_due_at <= now() AND source.deleted_at IS NULL
      AND document.workspace_id > $3 AND document.workspace_id <> ALL ($4::text[])
    ORDER BY document.workspace_id, document.embedding_due_at LIMIT 1
    FOR NO KEY UPDATE OF document SKIP LOCKED
  )
  UPDATE knowledge_document AS document SET
    embedding_lease = $1, embedding_attempts = embedding_attempts + 1,
    embedding_paid_attempts = embedding_paid_attempts + 1,
    embedding_due_at = clock_timestamp() + make_interval(secs => $2 / 1000.0)
  FROM next WHERE document.id = next.id
  RETURNING document.id, document.workspace_id AS "workspaceId",
    document.source_id AS "sourceId", embedding_attempts AS attempts,
    embedding_paid_attempts AS "paidAttempts"`;

type PendingRow = { id: string; text: string; agentModels: string[] };

const NEXT_CHUNKS = `
  SELECT chunk.id, chunk.text,
    ARRAY (
      SELECT DISTINCT agent.model FROM agent_source AS link JOIN agent ON agent.id = link.agent_id
      WHERE link.source_id = $5
    ) AS "agentModels"
  FROM knowledge_chunk AS chunk
  LEFT JOIN knowledge_vector AS known ON known.chunk_id = chunk.id AND known.model = $2
  WHERE chunk.document_id = $1 AND chunk.id > $3 AND known.chunk_id IS NULL
  ORDER BY chunk.id LIMIT $4`;

const RENEW = `
  UPDATE knowledge_document SET
    embedding_attempts = 0, embedding_paid_attempts = 1,
    embedding_due_at = clock_timestamp() + make_interval(secs => $3 / 1000.0)
  WHERE id = $1 AND embedding_lease = $2`;

const SAVE = `
  INSERT INTO knowledge_vector (
    chunk_id, workspace_id, source_no, model, origin, code, vector
  )
  SELECT given.id, $1, source.no, $3, $4, given.code::bit varying, given.vector
  FROM unnest($5::text[], $6::text[], $7::bytea[]) AS given (id, code, vector),
    knowledge_source AS source
  WHERE source.id = $2
  ON CONFLICT (chunk_id) DO UPDATE SET
    model = excluded.model, origin = excluded.origin, code = excluded.code,
    vector = excluded.vector`;

/** Locks the row, so that the vectors of a space are saved one batch after the other. */
const COUNT_SAVED = `
  INSERT INTO knowledge_vector_space AS space (workspace_id, model, origin, saved)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (workspace_id, model, origin) DO UPDATE SET saved = space.saved + excluded.saved
  RETURNING saved, mean`;

const NEXT_VECTORS = `
  SELECT chunk_id AS "chunkId", vector FROM knowledge_vector
  WHERE source_no IN (SELECT no FROM knowledge_source WHERE workspace_id = $1)
    AND model = $2 AND origin = $3 AND chunk_id > $4
  ORDER BY chunk_id LIMIT $5`;

const SET_MEAN = `
  UPDATE knowledge_vector_space SET mean = $4
  WHERE workspace_id = $1 AND model = $2 AND origin = $3`;

const SET_CODES = `
  UPDATE knowledge_vector AS known SET code = given.code::bit varying
  FROM unnest($1::text[], $2::text[]) AS given (id, code)
  WHERE known.chunk_id = given.id`;

const FINISH = `
  UPDATE knowledge_document SET
    embedded_model = $3, embedding_failed = $4, embedding_lease = NULL
  WHERE id = $1 AND embedding_lease = $2`;

const RELEASE = `
  UPDATE knowledge_document SET
    embedding_lease = NULL,
    embedding_paid_attempts = embedding_paid_attempts - $4::boolean::integer,
    embedding_due_at = clock_timestamp() + make_interval(secs => $3 / 1000.0)
  WHERE id = $1 AND embedding_lease = $2`;

const POSTPONE_SOURCE = `
  UPDATE knowledge_document SET
    embedding_due_at = clock_timestamp() + make_interval(secs => $2 / 1000.0)
  WHERE source_id = $1 AND embedded_model IS NULL AND status = 'ready'
    AND embedding_lease IS NULL`;
