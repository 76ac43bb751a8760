import { conflict } from '@witan/contracts';
import { everyWorkspace, lockUntilCommit, workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import { noSuchAgent } from '../../agent/agents.ts';
import { noSuchSource } from '../knowledge.ts';
import type { KnowledgeDocument, KnowledgeStore, Source } from '../knowledge.ts';
import { AgentEntity, lockAgent } from '../../agent/store/agent-store.ts';

export const createKnowledgeStore = (database: Database): KnowledgeStore => ({
  insertSource: (workspaceId, source, max) =>
    database.scoped(workspaceScope(workspaceId), (em) =>
      insertSource(em, { ...source, workspaceId }, max),
    ),
  listSources: (workspaceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const params = [workspaceId, after ?? null, after ?? null, limit];
      const rows = await em.execute<SourceRow[]>(LIST_SOURCES, params);
      return rows.map((row) => toSource(row));
    }),
  findSource: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const [row] = await em.execute<SourceRow[]>(FIND_SOURCE, [workspaceId, id]);
      if (!row) return undefined;
      return toSource(
        row,
        await em.execute<Source['agents']>(FIND_LINKED_AGENTS, [workspaceId, id]),
      );
    }),
  deleteSource: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const deleted = await em.execute<object[]>(DELETE_SOURCE, [workspaceId, id]);
      await em.execute(DELETE_LINKS, [workspaceId, id]);
      return deleted.length > 0;
    }),
  listDocuments: (workspaceId, sourceId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const found = await em.execute<object[]>(FIND_SOURCE, [workspaceId, sourceId]);
      if (found.length === 0) return undefined;
      const params = [workspaceId, sourceId, after ?? null, after ?? null, limit];
      const rows = await em.execute<DocumentRow[]>(LIST_DOCUMENTS, params);
      return rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: new Date(createdAt) }));
    }),
  deleteDocument: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), (em) => deleteDocument(em, workspaceId, id)),
  link: (workspaceId, ids) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await lockAgentAndSource(em, workspaceId, ids);
      await em.execute(LINK, [workspaceId, ids.agentId, ids.sourceId]);
    }),
  unlink: (workspaceId, ids) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await lockAgentAndSource(em, workspaceId, ids);
      await em.execute(UNLINK, [workspaceId, ids.agentId, ids.sourceId]);
    }),
  listOfAgent: (workspaceId, agentId, { limit, after }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      if ((await em.count(AgentEntity, { workspaceId, id: agentId })) === 0) throw noSuchAgent();
      const params = [workspaceId, agentId, after ?? null, after ?? null, limit];
      const rows = await em.execute<SourceRow[]>(LIST_AGENT_SOURCES, params);
      return rows.map((row) => toSource(row));
    }),
});

const insertSource = async (
  em: Transaction,
  source: Pick<Source, 'id' | 'name' | 'description' | 'createdAt'> & { workspaceId: string },
  max: number,
): Promise<void> => {
  const { id, workspaceId, name, description, createdAt } = source;
  // Serializes concurrent inserts of a workspace, so that none exceeds the limit of sources.
  await lockUntilCommit(em, `sources of ${workspaceId}`);
  const [counted] = await em.execute<{ count: number }[]>(COUNT_SOURCES, [workspaceId]);
  if (counted!.count >= max) {
    const message = `This workspace has ${max} sources, as many as it may; delete one first.`;
    throw conflict(message, { code: 'source_limit_reached' });
  }
  const params = [id, workspaceId, name, description, createdAt.toISOString()];
  const inserted = await em.execute<object[]>(INSERT_SOURCE, params);
  if (inserted.length > 0) return;
  const message = 'Another source of this workspace has this name.';
  throw conflict(message, { code: 'name_taken', param: 'name' });
};

const COUNT_SOURCES = `
  SELECT count(*)::int AS count FROM knowledge_source
  WHERE workspace_id = ? AND deleted_at IS NULL`;

const INSERT_SOURCE = `
  INSERT INTO knowledge_source (id, workspace_id, name, description, created_at)
  VALUES (?, ?, ?, ?, ?::timestamptz)
  ON CONFLICT (workspace_id, name) WHERE deleted_at IS NULL DO NOTHING RETURNING id`;

const SOURCE_COLUMNS = `
  id, name, description, document_count AS "documentCount", created_at AS "createdAt"`;

const LIST_SOURCES = `
  SELECT ${SOURCE_COLUMNS} FROM knowledge_source
  WHERE workspace_id = ? AND deleted_at IS NULL AND (?::text IS NULL OR id < ?)
  ORDER BY id DESC LIMIT ?`;

const LIST_AGENT_SOURCES = `
  SELECT ${SOURCE_COLUMNS} FROM knowledge_source JOIN agent_source ON source_id = id
  WHERE knowledge_source.workspace_id = ? AND agent_id = ? AND deleted_at IS NULL
    AND (?::text IS NULL OR id < ?)
  ORDER BY id DESC LIMIT ?`;

const FIND_SOURCE = `
  SELECT ${SOURCE_COLUMNS} FROM knowledge_source
  WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL`;

const FIND_LINKED_AGENTS = `
  SELECT agent.id, name FROM agent JOIN agent_source ON agent_id = agent.id
  WHERE agent.workspace_id = ? AND source_id = ? ORDER BY name, agent.id`;

const DELETE_SOURCE = `
  UPDATE knowledge_source SET deleted_at = clock_timestamp()
  WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL RETURNING id`;

const DELETE_LINKS = 'DELETE FROM agent_source WHERE workspace_id = ? AND source_id = ?';

const LIST_DOCUMENTS = `
  SELECT id, source_id AS "sourceId", title, media_type AS "mediaType", status, error, size,
    page_count AS "pageCount", chunk_count AS "chunkCount", created_at AS "createdAt"
  FROM knowledge_document
  WHERE workspace_id = ? AND source_id = ? AND (?::text IS NULL OR id < ?)
  ORDER BY id DESC LIMIT ?`;

type SourceRow = Omit<Source, 'createdAt' | 'agents'> & { createdAt: string };
type DocumentRow = Omit<KnowledgeDocument, 'createdAt'> & { createdAt: string };

const toSource = ({ createdAt, ...row }: SourceRow, agents: Source['agents'] = []): Source => ({
  ...row,
  createdAt: new Date(createdAt),
  agents,
});

/**
 * Deletes a document and subtracts its chunks, and a proportional number of words, from the counts
 * of its source. Returns false if the document or its source does not exist.
 */
const deleteDocument = async (
  em: Transaction,
  workspaceId: string,
  id: string,
): Promise<boolean> => {
  // The document is locked before its source, the order in which writers lock them, to avoid
  // deadlocks. A concurrent write of the document ends first, so that the counts include it.
  const [document] = await em.execute<{ sourceId: string }[]>(LOCK_DOCUMENT, [workspaceId, id]);
  if (!document) return false;
  const [source] = await em.execute<{ no: number }[]>(LOCK_SOURCE_COUNTS, [document.sourceId]);
  if (!source) return false;
  await em.execute(SUBTRACT_BASES, [id, source.no]);
  const deleted = await em.execute<object[]>(DELETE_DOCUMENT, [workspaceId, id]);
  return deleted.length > 0;
};

const LOCK_DOCUMENT = `
  SELECT source_id AS "sourceId" FROM knowledge_document
  WHERE workspace_id = ? AND id = ? FOR UPDATE`;

const LOCK_SOURCE_COUNTS = `
  SELECT no FROM knowledge_source WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE`;

/**
 * Subtracts a document's chunks from the counts per base of its source, and deletes bases that
 * occur in no other document. A lexeme with the suffix `^3` or `^6` marks a base that occurs at
 * least so many times in the chunk.
 */
const SUBTRACT_BASES = `
  WITH marked AS (
    SELECT substr(lexeme, position('.' IN lexeme) + 1) AS lexeme FROM knowledge_chunk AS chunk
    JOIN knowledge_entry AS entry ON entry.chunk_id = chunk.id,
      unnest(tsvector_to_array(search)) AS lexeme
    WHERE chunk.document_id = ?
  ), deleted AS (
    SELECT split_part(lexeme, '^', 1) AS base,
      count(*) FILTER (WHERE position('^' IN lexeme) = 0) AS chunks,
      count(*) FILTER (WHERE lexeme LIKE '%^3') AS thrice,
      count(*) FILTER (WHERE lexeme LIKE '%^6') AS six_times
    FROM marked GROUP BY 1
  )
  MERGE INTO knowledge_base AS known USING deleted
  ON known.source_no = ? AND known.base = deleted.base
  WHEN MATCHED AND known.chunks <= deleted.chunks THEN DELETE
  WHEN MATCHED THEN UPDATE SET
    chunks = known.chunks - deleted.chunks, thrice = known.thrice - deleted.thrice,
    six_times = known.six_times - deleted.six_times`;

const DELETE_DOCUMENT = `
  WITH deleted AS (
    DELETE FROM knowledge_document WHERE workspace_id = ? AND id = ?
    RETURNING source_id, chunk_count
  )
  UPDATE knowledge_source AS source SET
    document_count = document_count - 1, chunk_count = source.chunk_count - deleted.chunk_count,
    word_count = word_count - word_count * deleted.chunk_count / greatest(source.chunk_count, 1)
  FROM deleted WHERE source.id = deleted.source_id RETURNING source.id`;

const lockAgentAndSource = async (
  em: Transaction,
  workspaceId: string,
  { agentId, sourceId }: { agentId: string; sourceId: string },
): Promise<void> => {
  if (!(await lockAgent(em, { workspaceId, agentId }))) throw noSuchAgent();
  const locked = await em.execute<object[]>(LOCK_SOURCE, [workspaceId, sourceId]);
  if (locked.length === 0) throw noSuchSource({ param: 'sourceId' });
};

const LOCK_SOURCE = `
  SELECT id FROM knowledge_source
  WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL FOR KEY SHARE`;

const LINK = `
  INSERT INTO agent_source (workspace_id, agent_id, source_id) VALUES (?, ?, ?)
  ON CONFLICT (agent_id, source_id) DO NOTHING`;

const UNLINK = 'DELETE FROM agent_source WHERE workspace_id = ? AND agent_id = ? AND source_id = ?';

/**
 * Returns a function that deletes one document of a deleted source, or the source itself once it
 * has no documents. The function resolves with false if no deleted source is left.
 */
export const createPurge = (database: Database) => (): Promise<boolean> =>
  database.scoped(everyWorkspace, async (em) => {
    const [source] = await em.execute<{ id: string; no: number }[]>(FIND_DELETED);
    if (!source) return false;
    const documents = await em.execute<object[]>(PURGE_DOCUMENT, [source.id]);
    if (documents.length > 0) return true;
    await em.execute('DELETE FROM knowledge_base WHERE source_no = ?', [source.no]);
    await em.execute('DELETE FROM knowledge_source WHERE id = ?', [source.id]);
    return true;
  });

const FIND_DELETED = `
  SELECT id, no FROM knowledge_source WHERE deleted_at IS NOT NULL
  ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

const PURGE_DOCUMENT = `
  DELETE FROM knowledge_document WHERE id = (
    SELECT id FROM knowledge_document WHERE source_id = ? LIMIT 1
  ) RETURNING id`;
