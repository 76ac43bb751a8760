import {
  everyWorkspace,
  FunctionsMoved,
  functionMigrations,
  readSqlFunctions,
  rowSecuritySql,
  SCOPE_SETTING,
  sqlMigration,
} from '@witan/service-kit';
import { Agents } from './0001-agents.ts';
import { Tools } from './0002-tools.ts';
import { Knowledge } from './0003-knowledge.ts';
import { Debates } from './0011-debates.ts';
import { LocalOnlyMarks } from './0013-local-only-marks.ts';
import { ArgumentTypes } from './0015-argument-types.ts';
import { McpServers } from './0016-mcp-servers.ts';
import { KnowledgeVectors } from './0017-knowledge-vectors.ts';
import { VectorSpaces } from './0019-vector-spaces.ts';

/** A workspace without a row allows agents to write global memories. */
const MemoryPolicy = sqlMigration(
  `CREATE TABLE memory_policy (
     workspace_id text PRIMARY KEY,
     global_writes boolean NOT NULL,
     updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
   )`,
  rowSecuritySql('memory_policy'),
);

const SessionBytes = sqlMigration(
  'ALTER TABLE session ADD COLUMN bytes bigint NOT NULL DEFAULT 0',
  `SELECT set_config('${SCOPE_SETTING}', '${everyWorkspace.setting}', true)`,
  `UPDATE session SET bytes = counted.bytes FROM (
     SELECT session_id, sum(octet_length(content)) AS bytes FROM message GROUP BY session_id
   ) AS counted WHERE counted.session_id = session.id`,
);

const FactOrder = sqlMigration(
  'CREATE INDEX fact_source ON fact (workspace_id, source, created_at DESC, id DESC)',
  'CREATE INDEX fact_category ON fact (workspace_id, category, created_at DESC, id DESC)',
);

/**
 * Adds the time at which a document of each workspace was last leased; the workspace with the
 * oldest time is next. Rows are never deleted, because a workspace without a row precedes those
 * that wait.
 */
const KnowledgeTurns = sqlMigration(
  `CREATE TABLE knowledge_turn (
     workspace_id text PRIMARY KEY,
     taken_at timestamptz NOT NULL
   )`,
  rowSecuritySql('knowledge_turn'),
  'CREATE INDEX knowledge_upload_workspace ON knowledge_upload (workspace_id)',
);

export const MIGRATIONS = [
  { name: '0001-agents', class: Agents },
  { name: '0002-tools', class: Tools },
  { name: '0003-knowledge', class: Knowledge },
  { name: '0004-memory-policy', class: MemoryPolicy },
  { name: '0005-session-bytes', class: SessionBytes },
  { name: '0006-fact-order', class: FactOrder },
  { name: '0007-reads-of-turns', class: sqlMigration('ALTER TABLE memory DROP COLUMN search') },
  { name: '0008-writes-of-turns', class: FunctionsMoved },
  { name: '0009-turns-of-readers', class: KnowledgeTurns },
  { name: '0010-calls-of-tools', class: FunctionsMoved },
  { name: '0011-debates', class: Debates },
  { name: '0012-debate-calls', class: FunctionsMoved },
  { name: '0013-local-only-marks', class: LocalOnlyMarks },
  { name: '0014-rows-of-release-before', class: FunctionsMoved },
  { name: '0015-argument-types', class: ArgumentTypes },
  { name: '0016-mcp-servers', class: McpServers },
  { name: '0017-knowledge-vectors', class: KnowledgeVectors },
  { name: '0019-vector-spaces', class: VectorSpaces },
  ...functionMigrations([
    ...readSqlFunctions(new URL('../agent/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../debate/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../knowledge/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../memory/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../session/store/', import.meta.url)),
    ...readSqlFunctions(new URL('../tool/store/', import.meta.url)),
  ]),
];
