import { Migration } from '@mikro-orm/migrations';
import { WITH_GENERIC_PLAN } from './0007-reads-of-turns.ts';
import { saveTurnSql } from './0008-writes-of-turns.ts';

/**
 * Gives the functions that the previous release calls their old result columns again. Connections
 * of that release have prepared the calls, so that an additional column would make each of its chat
 * turns fail on saving, after the model was paid for.
 */
export class RowsOfReleaseBefore extends Migration {
  override up(): void {
    this.addSql(OLD_MEMORY_TYPE);
    this.addSql(`ALTER FUNCTION write_memories(${WRITE_TYPES}) RENAME TO write_marked_memories`);
    this.addSql(WRITE_MEMORIES);
    this.addSql(`DROP FUNCTION save_turn(${TURN_TYPES})`);
    this.addSql(saveTurnSql('memory_without_marks'));
    this.addSql(SAVE_MARKED_TURN);
  }
}

const WRITE_TYPES = 'text, text, text, text, jsonb, jsonb, integer, text[]';
const TURN_TYPES =
  'text, text, text, text, text, text, text, text, text, text[], jsonb, jsonb, integer, text[]';

/**
 * Result type of the previous release. It repeats the collations of the table's columns, because a
 * prepared statement fails if the collation of a result column changes.
 */
const OLD_MEMORY_TYPE = `
  CREATE TYPE memory_without_marks AS (
    id text COLLATE "C", workspace_id text, agent_id text COLLATE "C", key text,
    key_norm text COLLATE "C", value text, type text, origin text, session_id text, importance real,
    revision integer, created_at timestamptz, updated_at timestamptz, used_at timestamptz
  )`;

const WRITE_MEMORIES = `
  CREATE FUNCTION write_memories(
    p_workspace_id text, p_agent_id text, p_origin text, p_session_id text,
    p_own jsonb, p_global jsonb, p_max integer, p_used text[]
  ) RETURNS SETOF memory_without_marks ${WITH_GENERIC_PLAN} AS $$
  BEGIN
    RETURN QUERY SELECT m.id, m.workspace_id, m.agent_id, m.key, m.key_norm, m.value, m.type,
      m.origin, m.session_id, m.importance, m.revision, m.created_at, m.updated_at, m.used_at
    FROM write_marked_memories(
      p_workspace_id, p_agent_id, p_origin, p_session_id, p_own, p_global, p_max, p_used
    ) AS m;
  END $$`;

/**
 * Saves a chat turn and marks its session. The memories are read by a separate statement, because
 * only a later statement sees the rows that `save_turn` wrote.
 */
const SAVE_MARKED_TURN = `
  CREATE OR REPLACE FUNCTION save_turn(
    p_workspace_id text, p_agent_id text, p_session_id text, p_new_title text,
    p_question_id text, p_question text, p_answer_id text, p_answer text,
    p_agent_name text, p_proof_ids text[],
    p_own jsonb, p_global jsonb, p_max integer, p_used text[],
    p_local_only boolean, p_tainted boolean
  ) RETURNS SETOF memory ${WITH_GENERIC_PLAN} AS $$
  DECLARE
    v_ids text[];
  BEGIN
    v_ids := ARRAY (SELECT saved.id FROM save_turn(
      p_workspace_id, p_agent_id, p_session_id, p_new_title, p_question_id, p_question, p_answer_id,
      p_answer, p_agent_name, p_proof_ids, p_own, p_global, p_max, p_used
    ) AS saved);
    RETURN QUERY SELECT * FROM memory WHERE id = ANY (v_ids);
    IF p_local_only OR p_tainted THEN
      UPDATE session SET local_only = local_only OR p_local_only, tainted = tainted OR p_tainted
      WHERE workspace_id = p_workspace_id AND id = p_session_id
        AND (local_only < p_local_only OR tainted < p_tainted);
    END IF;
  END $$`;
