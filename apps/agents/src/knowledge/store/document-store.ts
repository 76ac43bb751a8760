import { randomUUID } from 'node:crypto';
import { isServiceError, ServiceError } from '@witan/contracts';
import { everyWorkspace, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { DocumentQueue, DocumentStore, DocumentLease } from '../document.ts';
import { addToCounts, insertChunks, insertDocument } from './write-document.ts';

const WAITING_BYTES_MAX = 2 * 1024 * 1024 * 1024;

export const createDocumentStore = (
  database: Database,
  { waitingBytesMax = WAITING_BYTES_MAX }: { waitingBytesMax?: number } = {},
): DocumentStore => ({
  insertReady: (workspaceId, document, index) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const { id: documentId, sourceId } = document;
      await insertDocument(client, { ...document, workspaceId, status: 'ready' });
      await insertChunks(client, { workspaceId, sourceId, documentId }, index.batches);
      await addToCounts(client, { workspaceId, sourceId }, { documents: 1, index });
    }),
  insertQueued: (workspaceId, document, upload) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const { id, sourceId } = document;
      const { rows } = await client.query<{ bytes: number }>(COUNT_WAITING, [workspaceId]);
      if (rows[0]!.bytes + document.size > waitingBytesMax) throw tooManyWaiting();
      await insertDocument(client, { ...document, workspaceId, status: 'processing' });
      await addToCounts(client, { workspaceId, sourceId }, { documents: 1, index: undefined });
      const { givenTitle, fileName, mediaType, content } = upload;
      const values = [id, workspaceId, givenTitle, fileName, mediaType, content];
      await client.query(INSERT_UPLOAD, values);
    }),
});

/**
 * Sums the bytes of a workspace's queued uploads. Concurrent uploads do not see each other and can
 * exceed the limit, but only slightly, because a process admits few at a time.
 */
const COUNT_WAITING = `
  SELECT coalesce(sum(octet_length(content)), 0)::float8 AS bytes FROM knowledge_upload
  WHERE workspace_id = $1`;

const RETRY_AFTER_S = '30';

const tooManyWaiting = (): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    'Too many long documents of this workspace wait to be read; send this one again later.',
    { fields: { code: 'too_many_uploads', retryAfter: RETRY_AFTER_S } },
  );

const INSERT_UPLOAD = `
  INSERT INTO knowledge_upload (
    document_id, workspace_id, given_title, file_name, media_type, content
  ) VALUES ($1, $2, $3, $4, $5, $6)`;

export const createDocumentQueue = (database: Database): DocumentQueue => ({
  claim: (leaseMs) =>
    database.scopedClient(everyWorkspace, async (client) => {
      const lease = randomUUID();
      const { rows } = await client.query<UploadRow>(CLAIM, [lease, leaseMs]);
      return rows[0] && { ...rows[0], lease };
    }),
  renew: ({ workspaceId, id, lease }, leaseMs) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      const renewed = await client.query(RENEW, [id, lease, leaseMs]);
      return renewed.rowCount === 1;
    }),
  finish: (leased, index, signal) =>
    database
      .scopedClient(workspaceScope(leased.workspaceId), async (client) => {
        const { workspaceId, sourceId, id: documentId } = leased;
        const found = await client.query(LOCK_DOCUMENT, [documentId]);
        if (found.rowCount !== 1) throw new LeaseLostError();
        await insertChunks(client, { workspaceId, sourceId, documentId }, index.batches, signal);
        const { title, mediaType, pageCount, chunkCount } = index;
        // The upload is deleted after the chunks are written, because the deletion locks its row,
        // and renewals of the lease would wait for that lock.
        const deleted = await client.query(DELETE_UPLOAD, [documentId, leased.lease]);
        if (deleted.rowCount !== 1) throw new LeaseLostError();
        const values = [documentId, title, mediaType, pageCount, chunkCount];
        await client.query(SET_READY, values);
        await addToCounts(client, { workspaceId, sourceId }, { documents: 0, index });
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof LeaseLostError || isSourceGone(error)) return false;
        throw error;
      }),
  fail: (leased, error) =>
    database.scopedClient(workspaceScope(leased.workspaceId), async (client) => {
      // The document is locked before its upload, the order in which a deletion locks them, to
      // avoid deadlocks.
      await client.query(LOCK_DOCUMENT, [leased.id]);
      const deleted = await client.query(DELETE_UPLOAD, [leased.id, leased.lease]);
      if (deleted.rowCount === 1) await client.query(SET_FAILED, [leased.id, error]);
    }),
  release: ({ workspaceId, id, lease }: DocumentLease, delayMs) =>
    database.scopedClient(workspaceScope(workspaceId), async (client) => {
      await client.query(RELEASE_UPLOAD, [id, lease, delayMs]);
    }),
});

class LeaseLostError extends Error {}

const isSourceGone = (error: unknown): boolean =>
  isServiceError(error) && error.reason === 'NOT_FOUND';

// Locks the document against deletion. It must run before the upload is locked, because a deletion
// locks in this order.
const LOCK_DOCUMENT = 'SELECT FROM knowledge_document WHERE id = $1 FOR KEY SHARE';

type UploadRow = {
  id: string;
  workspaceId: string;
  sourceId: string;
  givenTitle: string;
  fileName: string;
  mediaType: string;
  content: Buffer;
  attempts: number;
};

/**
 * Leases the next queued document; `due_at` becomes the end of the lease. The least recently served
 * workspace is next, so that a thousand documents of one workspace do not delay the first document
 * of another.
 */
const CLAIM = `
  WITH next AS MATERIALIZED (
    SELECT upload.document_id, upload.workspace_id, document.source_id
    FROM knowledge_upload AS upload
    JOIN knowledge_document AS document ON document.id = upload.document_id
    JOIN knowledge_source AS source ON source.id = document.source_id
    LEFT JOIN knowledge_turn AS turn ON turn.workspace_id = upload.workspace_id
    WHERE upload.due_at <= clock_timestamp() AND source.deleted_at IS NULL
    ORDER BY turn.taken_at NULLS FIRST, upload.due_at LIMIT 1
    FOR UPDATE OF upload SKIP LOCKED
  ), taken AS (
    INSERT INTO knowledge_turn (workspace_id, taken_at)
    SELECT workspace_id, clock_timestamp() FROM next
    ON CONFLICT (workspace_id) DO UPDATE SET taken_at = excluded.taken_at
  )
  UPDATE knowledge_upload AS upload SET
    lease = $1, attempts = attempts + 1,
    due_at = clock_timestamp() + make_interval(secs => $2 / 1000.0)
  FROM next WHERE upload.document_id = next.document_id
  RETURNING upload.document_id AS id, upload.workspace_id AS "workspaceId",
    source_id AS "sourceId", given_title AS "givenTitle", file_name AS "fileName",
    media_type AS "mediaType", content, attempts`;

const RENEW = `
  UPDATE knowledge_upload SET due_at = clock_timestamp() + make_interval(secs => $3 / 1000.0)
  WHERE document_id = $1 AND lease = $2`;

/**
 * Releases the lease of an upload and subtracts its attempt, because the attempt did not end the
 * process.
 */
const RELEASE_UPLOAD = `
  UPDATE knowledge_upload SET
    lease = NULL, attempts = attempts - 1,
    due_at = clock_timestamp() + make_interval(secs => $3 / 1000.0)
  WHERE document_id = $1 AND lease = $2`;

const DELETE_UPLOAD = 'DELETE FROM knowledge_upload WHERE document_id = $1 AND lease = $2';

const SET_FAILED = `UPDATE knowledge_document SET status = 'failed', error = $2 WHERE id = $1`;

const SET_READY = `
  UPDATE knowledge_document SET
    status = 'ready', title = $2, media_type = $3, page_count = $4, chunk_count = $5
  WHERE id = $1`;
