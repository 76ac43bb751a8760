import { outboxSql, rowSecuritySql, sqlMigration } from '@witan/service-kit';

const CONVERSATIONS = `
  CREATE TABLE conversation (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    user_id text NOT NULL,
    title text NOT NULL,
    message_count integer NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX conversation_newest ON conversation (workspace_id, position DESC)`;

/**
 * `due_at` is the end of the lease. Model output has the type json and not jsonb, because jsonb
 * rejects some valid escapes and no query searches in the output. Agents' names are copied, because
 * the agents can be deleted.
 */
const DEBATES = `
  CREATE TABLE debate (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    conversation_id text COLLATE "C" REFERENCES conversation ON DELETE CASCADE,
    message_id text,
    owner text COLLATE "C",
    key text COLLATE "C",
    question text NOT NULL,
    briefing text NOT NULL,
    request_sha256 text NOT NULL,
    request_id text NOT NULL,
    config json NOT NULL,
    fingerprint text NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'synthesized', 'failed')),
    last_seq integer NOT NULL DEFAULT 0,
    round_number integer NOT NULL DEFAULT 0,
    frame json,
    synthesis json,
    failure json,
    lease text,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    CHECK ((conversation_id IS NULL) = (message_id IS NULL)),
    CHECK ((conversation_id IS NULL) = (owner IS NOT NULL)),
    CHECK ((owner IS NULL) = (key IS NULL)),
    CHECK ((state = 'synthesized') = (synthesis IS NOT NULL)),
    CHECK ((state = 'failed') = (failure IS NOT NULL)),
    CHECK ((state = 'running') = (ended_at IS NULL))
  ) WITH (fillfactor = 50);
  CREATE UNIQUE INDEX debate_running ON debate (conversation_id) WHERE state = 'running';
  CREATE INDEX debate_conversation ON debate (conversation_id, position);
  CREATE UNIQUE INDEX debate_panel ON debate (workspace_id, owner, key) WHERE owner IS NOT NULL;
  CREATE INDEX debate_due ON debate (due_at) WHERE state = 'running'`;

const DEBATE_STEP_TABLES = `
  CREATE TABLE debate_answer (
    debate_id text COLLATE "C" NOT NULL REFERENCES debate ON DELETE CASCADE,
    round_number integer NOT NULL CHECK (round_number > 0),
    agent_id text COLLATE "C" NOT NULL,
    workspace_id text NOT NULL,
    agent_name text NOT NULL,
    message_id text,
    answer json,
    reason text CHECK (reason IN ('timeout', 'refused', 'unavailable', 'deleted')),
    answered_at timestamptz,
    PRIMARY KEY (debate_id, round_number, agent_id),
    CHECK ((answer IS NULL) = (message_id IS NULL)),
    CHECK ((answer IS NULL) = (answered_at IS NULL)),
    CHECK (answer IS NOT NULL OR reason IS NOT NULL)
  );
  CREATE TABLE debate_round (
    debate_id text COLLATE "C" NOT NULL REFERENCES debate ON DELETE CASCADE,
    round_number integer NOT NULL CHECK (round_number > 0),
    workspace_id text NOT NULL,
    convergence_score double precision NOT NULL CHECK (convergence_score BETWEEN 0 AND 1),
    report json NOT NULL,
    PRIMARY KEY (debate_id, round_number)
  );
  CREATE TABLE debate_event (
    debate_id text COLLATE "C" NOT NULL REFERENCES debate ON DELETE CASCADE,
    seq integer NOT NULL CHECK (seq > 0),
    workspace_id text NOT NULL,
    kind text NOT NULL,
    round_number integer NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (debate_id, seq)
  )`;

/** A message row contains no text, because the text is stored with its debate. */
const MESSAGES = `
  CREATE TABLE conversation_message (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    conversation_id text COLLATE "C" NOT NULL REFERENCES conversation ON DELETE CASCADE,
    debate_id text COLLATE "C" NOT NULL REFERENCES debate ON DELETE CASCADE,
    sender_type text NOT NULL CHECK (sender_type IN ('user', 'agent', 'synthesis')),
    round_number integer NOT NULL DEFAULT 0,
    agent_id text COLLATE "C" NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL
  );
  CREATE INDEX conversation_message_place ON conversation_message (conversation_id, position);
  CREATE INDEX conversation_message_debate ON conversation_message (debate_id, position)`;

const TABLES = [
  'conversation',
  'debate',
  'debate_answer',
  'debate_round',
  'debate_event',
  'conversation_message',
];

export const Debates = sqlMigration(
  CONVERSATIONS,
  DEBATES,
  DEBATE_STEP_TABLES,
  MESSAGES,
  ...TABLES.map((table) => rowSecuritySql(table)),
  outboxSql(),
);
