import { rowSecuritySql, sqlMigration } from '@witan/service-kit';

const AGENTS = `
  CREATE TABLE agent (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    role text NOT NULL,
    system_prompt text NOT NULL,
    personality text NOT NULL,
    mission text NOT NULL,
    decision_style text NOT NULL,
    model text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (workspace_id, slug)
  );
  CREATE INDEX agent_workspace ON agent (workspace_id, id)`;

/** In prompts, `summary` replaces the messages up to position `summary_until`. */
const SESSIONS = `
  CREATE TABLE session (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text NOT NULL,
    agent_id text COLLATE "C" NOT NULL REFERENCES agent ON DELETE CASCADE,
    title text NOT NULL,
    summary text NOT NULL DEFAULT '',
    summary_until bigint NOT NULL DEFAULT 0,
    message_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    active_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX session_agent ON session (agent_id, active_at DESC, id DESC);
  CREATE TABLE message (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    session_id text COLLATE "C" NOT NULL REFERENCES session ON DELETE CASCADE,
    sender_type text NOT NULL CHECK (sender_type IN ('user', 'agent')),
    agent_name text NOT NULL DEFAULT '',
    content text NOT NULL,
    proof_ids text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX message_session ON message (session_id, position)`;

/**
 * Memories without an agent belong to the workspace. There are two partial indexes, because an
 * agent's memories and global memories are read by separate queries. `search`, which migration 0007
 * drops, is stored, because splitting all memories into words during a chat turn takes longer than
 * all reads of the turn.
 */
const MEMORIES = `
  CREATE TABLE memory (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text NOT NULL,
    agent_id text COLLATE "C" REFERENCES agent ON DELETE CASCADE,
    key text NOT NULL,
    key_norm text COLLATE "C" NOT NULL,
    value text NOT NULL,
    type text NOT NULL CHECK (type IN ('fact', 'preference', 'decision', 'goal', 'note')),
    origin text NOT NULL CHECK (origin IN ('tag', 'api')),
    session_id text,
    importance real NOT NULL DEFAULT 0.5 CHECK (importance BETWEEN 0 AND 1),
    revision integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    search tsvector NOT NULL GENERATED ALWAYS AS (
      setweight(to_tsvector('simple', replace(key_norm, '_', ' ')), 'A')
        || to_tsvector('simple', value)
    ) STORED
  );
  CREATE UNIQUE INDEX memory_own ON memory (agent_id, key_norm) WHERE agent_id IS NOT NULL;
  CREATE UNIQUE INDEX memory_global ON memory (workspace_id, key_norm) WHERE agent_id IS NULL;
  CREATE TABLE memory_revision (
    memory_id text COLLATE "C" NOT NULL REFERENCES memory ON DELETE CASCADE,
    workspace_id text NOT NULL,
    revision integer NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    type text NOT NULL,
    origin text NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (memory_id, revision)
  )`;

const FACTS = `
  CREATE TABLE fact (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text NOT NULL,
    source text NOT NULL,
    category text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (workspace_id, source, category, key)
  );
  CREATE INDEX fact_newest ON fact (workspace_id, created_at DESC, id DESC)`;

const TABLES = ['agent', 'session', 'message', 'memory', 'memory_revision', 'fact'];

export const Agents = sqlMigration(
  AGENTS,
  SESSIONS,
  MEMORIES,
  FACTS,
  ...TABLES.map((table) => rowSecuritySql(table)),
);
