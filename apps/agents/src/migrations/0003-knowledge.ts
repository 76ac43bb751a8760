import { rowSecuritySql, sqlMigration } from '@witan/service-kit';

/**
 * `no` is the integer id by which the search index refers to a source. The row of a deleted source
 * remains until all its documents are deleted.
 */
const SOURCES = `
  CREATE TABLE knowledge_source (
    id text COLLATE "C" PRIMARY KEY,
    no integer NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    workspace_id text NOT NULL,
    name text COLLATE "C" NOT NULL,
    description text NOT NULL,
    document_count integer NOT NULL DEFAULT 0,
    chunk_count integer NOT NULL DEFAULT 0,
    word_count bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
  ) WITH (fillfactor = 70);
  CREATE UNIQUE INDEX knowledge_source_name ON knowledge_source (workspace_id, name)
    WHERE deleted_at IS NULL;
  CREATE INDEX knowledge_source_workspace ON knowledge_source (workspace_id, id)
    WHERE deleted_at IS NULL;
  CREATE INDEX knowledge_source_deleted ON knowledge_source (deleted_at)
    WHERE deleted_at IS NOT NULL;
  CREATE TABLE agent_source (
    workspace_id text NOT NULL,
    agent_id text COLLATE "C" NOT NULL REFERENCES agent ON DELETE CASCADE,
    source_id text COLLATE "C" NOT NULL REFERENCES knowledge_source ON DELETE CASCADE,
    linked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (agent_id, source_id)
  );
  CREATE INDEX agent_source_source ON agent_source (source_id)`;

const DOCUMENTS = `
  CREATE TABLE knowledge_document (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text NOT NULL,
    source_id text COLLATE "C" NOT NULL REFERENCES knowledge_source ON DELETE CASCADE,
    title text NOT NULL,
    media_type text NOT NULL,
    status text NOT NULL CHECK (status IN ('processing', 'ready', 'failed')),
    error text NOT NULL DEFAULT '',
    size integer NOT NULL,
    page_count integer,
    chunk_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX knowledge_document_source ON knowledge_document (source_id, id);
  CREATE TABLE knowledge_upload (
    document_id text COLLATE "C" PRIMARY KEY REFERENCES knowledge_document ON DELETE CASCADE,
    workspace_id text NOT NULL,
    given_title text NOT NULL,
    file_name text NOT NULL,
    media_type text NOT NULL,
    content bytea NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    lease text,
    due_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  ALTER TABLE knowledge_upload ALTER content SET STORAGE EXTERNAL;
  CREATE INDEX knowledge_upload_due ON knowledge_upload (due_at)`;

const CHUNKS = `
  CREATE TABLE knowledge_chunk (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL REFERENCES knowledge_document ON DELETE CASCADE,
    page integer,
    text text NOT NULL
  );
  CREATE INDEX knowledge_chunk_document ON knowledge_chunk (document_id)`;

/**
 * Search index of the chunks. Every lexeme begins with the number of its source, so that a search
 * reads only entries of its own sources, and chunks of other workspaces add no cost. Row-level
 * security would prevent use of the index (`@@` is not leakproof), so `knowledge_entry` and
 * `knowledge_base` have none; they contain no text, and the text of the matches is read from a
 * table with row-level security.
 *
 * The vectors are in a table of their own, with a low `toast_tuple_target`, so that the rows that a
 * search reads are small: those of a million chunks fit in memory. For a common word with a limit,
 * PostgreSQL would choose a plan that reads vectors row by row, which takes a hundred times longer;
 * the function `knowledge_lexemes` has a high cost to prevent that and does nothing else. The
 * pending list of the GIN index is limited, because every search scans it.
 */
const INDEX = `
  CREATE FUNCTION knowledge_lexemes(search tsvector) RETURNS tsvector
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  BEGIN
    RETURN search;
  END $$;
  CREATE TABLE knowledge_entry (
    chunk_id text COLLATE "C" PRIMARY KEY REFERENCES knowledge_chunk ON DELETE CASCADE,
    search tsvector NOT NULL
  ) WITH (toast_tuple_target = 128);
  CREATE INDEX knowledge_entry_search ON knowledge_entry
    USING gin (knowledge_lexemes(search)) WITH (gin_pending_list_limit = 256);
  CREATE TABLE knowledge_base (
    source_no integer NOT NULL,
    base text COLLATE "C" NOT NULL,
    chunks integer NOT NULL,
    thrice integer NOT NULL,
    six_times integer NOT NULL,
    PRIMARY KEY (source_no, base)
  ) WITH (fillfactor = 80)`;

const TABLES = [
  'knowledge_source',
  'knowledge_document',
  'knowledge_upload',
  'knowledge_chunk',
  'agent_source',
];

export const Knowledge = sqlMigration(
  SOURCES,
  DOCUMENTS,
  CHUNKS,
  INDEX,
  ...TABLES.map((table) => rowSecuritySql(table)),
);
