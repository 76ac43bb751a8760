import { readScopeOnceSql, rowSecuritySql, sqlMigration } from '@witan/service-kit';

/**
 * State of the embedding of a document: `embedded_model` is the configured model of its vectors,
 * null until all its chunks have one, or until `embedding_failed`. `embedding_attempts` are the
 * leases since a batch was last saved, `embedding_paid_attempts` those of them that may have been
 * charged. `embedding_due_at` is the time from which a worker may lease the document, or the end of
 * its lease. Both indexes serve a worker that polls: pending documents by workspace, and documents
 * with vectors of another model.
 */
const DOCUMENT_COLUMNS = `
  ALTER TABLE knowledge_document
    ADD COLUMN embedded_model text COLLATE "C",
    ADD COLUMN embedding_lease text,
    ADD COLUMN embedding_failed boolean NOT NULL DEFAULT false,
    ADD COLUMN embedding_attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN embedding_paid_attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN embedding_due_at timestamptz NOT NULL DEFAULT '-infinity';
  CREATE INDEX knowledge_document_unembedded ON knowledge_document (workspace_id, embedding_due_at)
    WHERE embedded_model IS NULL AND status = 'ready';
  CREATE INDEX knowledge_document_embedded ON knowledge_document (embedded_model)
    WHERE embedded_model IS NOT NULL`;

/**
 * Vector of a chunk. `model` is the configured model, `origin` the provider and the model that
 * made the vector; only vectors of one origin can be compared. `vector` is the unit vector as
 * little-endian 16-bit floats, `code` the signs of its numbers.
 *
 * A search scans the codes of its sources, so vectors are stored out of line, uncompressed, and all
 * other columns in the row, so that the scan fetches nothing from elsewhere.
 */
const VECTORS = `
  CREATE TABLE knowledge_vector (
    chunk_id text COLLATE "C" PRIMARY KEY REFERENCES knowledge_chunk ON DELETE CASCADE,
    workspace_id text NOT NULL,
    source_no integer NOT NULL,
    model text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    code bit varying NOT NULL,
    vector bytea NOT NULL
  ) WITH (toast_tuple_target = 256);
  ALTER TABLE knowledge_vector
    ALTER chunk_id SET STORAGE MAIN, ALTER workspace_id SET STORAGE MAIN,
    ALTER model SET STORAGE MAIN, ALTER origin SET STORAGE MAIN, ALTER code SET STORAGE MAIN,
    ALTER vector SET STORAGE EXTERNAL;
  CREATE INDEX knowledge_vector_source ON knowledge_vector (source_no)`;

export const KnowledgeVectors = sqlMigration(
  DOCUMENT_COLUMNS,
  VECTORS,
  rowSecuritySql('knowledge_vector'),
  readScopeOnceSql('knowledge_vector'),
);
