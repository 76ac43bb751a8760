import { Migration } from '@mikro-orm/migrations';
import { WITH_GENERIC_PLAN } from './0007-reads-of-turns.ts';

/**
 * Adds functions that write memories and chat turns, all or nothing. Files in `../memory/store`
 * replace `write_own_memories`, `write_global_memories` and, after migration 0014 renamed it,
 * `write_memories`; only earlier releases call `save_turn`.
 */
export class WritesOfTurns extends Migration {
  override up(): void {
    this.addSql(writeScopeSql(OWN_MEMORIES));
    this.addSql(writeScopeSql(GLOBAL_MEMORIES));
    this.addSql(WRITE_MEMORIES);
    this.addSql(saveTurnSql('memory'));
  }
}

const REVISIONS_MAX = 100;

type ScopeSql = {
  name: string;
  agentId: string;
  where: string;
  /**
   * SQL expression of the id in the name of the advisory lock for writers, the same as in
   * `memory-scope.ts`.
   */
  owner: string;
  subject: string;
};

const OWN_MEMORIES: ScopeSql = {
  name: 'write_own_memories',
  agentId: 'p_agent_id',
  where: 'workspace_id = p_workspace_id AND agent_id = p_agent_id',
  owner: 'p_agent_id',
  subject: 'This agent',
};

const GLOBAL_MEMORIES: ScopeSql = {
  name: 'write_global_memories',
  agentId: 'NULL',
  where: 'workspace_id = p_workspace_id AND agent_id IS NULL',
  owner: 'p_workspace_id',
  subject: 'This workspace',
};

/** `p_drafts` is a JSON array of memories to write, with distinct keys. */
const MEMORY_PARAMS = `
  p_workspace_id text, p_agent_id text, p_origin text, p_session_id text, p_drafts jsonb,
  p_max integer`;

/**
 * Returns the SQL that creates the function that writes the memories of an agent or of a workspace.
 * Writers are serialized by a lock, so that each statement sees the rows of the previous writer. If
 * a value changes, the old one becomes a revision; an unchanged value only counts as use. Only
 * memories with the given keys are read, and memories are counted only if a key is new.
 */
const writeScopeSql = ({ name, agentId, where, owner, subject }: ScopeSql): string => `
  CREATE FUNCTION ${name}(${MEMORY_PARAMS}) RETURNS SETOF memory ${WITH_GENERIC_PLAN} AS $$
  DECLARE
    v_draft record;
    v_memory memory;
    v_held integer;
    v_at timestamptz;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('memories of ' || ${owner}, 0));
    v_at := clock_timestamp();
    FOR v_draft IN
      SELECT * FROM jsonb_to_recordset(p_drafts)
        AS draft (id text, key text, key_norm text, value text, type text)
    LOOP
      SELECT * INTO v_memory FROM memory WHERE ${where} AND key_norm = v_draft.key_norm;
      IF NOT FOUND THEN
        v_held := coalesce(v_held, (SELECT count(*) FROM memory WHERE ${where}));
        IF v_held < p_max THEN
          v_held := v_held + 1;
        ELSIF p_origin = 'tag' THEN
          -- The agents' notes that were not used for longest give way, but for those that are
          -- wanted themselves; what others gave, and what is more than a note, never does.
          DELETE FROM memory WHERE id = (
            SELECT id FROM memory WHERE ${where} AND type = 'note' AND origin = 'tag'
              AND NOT p_drafts @> jsonb_build_array(jsonb_build_object('key_norm', key_norm))
            ORDER BY used_at, id LIMIT 1
          );
          CONTINUE WHEN NOT FOUND;
        ELSE
          RAISE EXCEPTION '${subject} has no more than % memories; delete some first.', p_max
            USING ERRCODE = 'WT003';
        END IF;
        INSERT INTO memory (
          id, workspace_id, agent_id, key, key_norm, value, type, origin, session_id, created_at,
          updated_at, used_at
        ) VALUES (
          v_draft.id, p_workspace_id, ${agentId}, v_draft.key, v_draft.key_norm, v_draft.value,
          v_draft.type, p_origin, p_session_id, v_at, v_at, v_at
        ) RETURNING * INTO v_memory;
      ELSIF v_memory.value = v_draft.value AND v_memory.type = v_draft.type THEN
        UPDATE memory SET used_at = v_at
        WHERE id = v_memory.id RETURNING * INTO v_memory;
      ELSE
        INSERT INTO memory_revision (
          memory_id, workspace_id, revision, key, value, type, origin, valid_from, valid_to
        ) VALUES (
          v_memory.id, p_workspace_id, v_memory.revision, v_memory.key, v_memory.value,
          v_memory.type, v_memory.origin, v_memory.updated_at, v_at
        );
        DELETE FROM memory_revision
        WHERE memory_id = v_memory.id AND revision <= v_memory.revision - ${REVISIONS_MAX};
        UPDATE memory SET key = v_draft.key, value = v_draft.value, type = v_draft.type,
          origin = p_origin, session_id = p_session_id, revision = v_memory.revision + 1,
          updated_at = v_at, used_at = v_at
        WHERE id = v_memory.id RETURNING * INTO v_memory;
      END IF;
      RETURN NEXT v_memory;
    END LOOP;
  END $$`;

/**
 * Writes memories of an agent and global ones, and marks the used memories. Locks in a fixed order
 * to avoid deadlocks: first the agent, as a deletion does, then its own memories, then the
 * workspace's. Used memories are marked last, because their rows stay locked until the transaction
 * ends; rows that another transaction is writing are skipped, since it marks them as used.
 */
const WRITE_MEMORIES = `
  CREATE FUNCTION write_memories(
    p_workspace_id text, p_agent_id text, p_origin text, p_session_id text,
    p_own jsonb, p_global jsonb, p_max integer, p_used text[]
  ) RETURNS SETOF memory ${WITH_GENERIC_PLAN} AS $$
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    IF jsonb_array_length(p_own) + jsonb_array_length(p_global) > 0 THEN
      PERFORM FROM agent WHERE workspace_id = p_workspace_id AND id = p_agent_id FOR KEY SHARE;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'agent % is not there', p_agent_id USING ERRCODE = 'WT001';
      END IF;
    END IF;
    IF jsonb_array_length(p_own) > 0 THEN
      RETURN QUERY SELECT * FROM write_own_memories(
        p_workspace_id, p_agent_id, p_origin, p_session_id, p_own, p_max
      );
    END IF;
    IF jsonb_array_length(p_global) > 0 THEN
      RETURN QUERY SELECT * FROM write_global_memories(
        p_workspace_id, p_agent_id, p_origin, p_session_id, p_global, p_max
      );
    END IF;
    IF cardinality(p_used) > 0 THEN
      UPDATE memory SET used_at = clock_timestamp() WHERE id IN (
        SELECT id FROM memory WHERE workspace_id = p_workspace_id AND id = ANY (p_used)
        FOR NO KEY UPDATE SKIP LOCKED
      );
    END IF;
  END $$`;

/**
 * Returns the SQL that creates the function that saves a chat turn. Agent and session are locked in
 * the order in which a deletion locks them. An existing session is updated first, which serializes
 * its turns, so that the two messages of a turn are adjacent. `row` is the return type of
 * `write_memories`.
 */
export const saveTurnSql = (row: string): string => `
  CREATE FUNCTION save_turn(
    p_workspace_id text, p_agent_id text, p_session_id text, p_new_title text,
    p_question_id text, p_question text, p_answer_id text, p_answer text,
    p_agent_name text, p_proof_ids text[],
    p_own jsonb, p_global jsonb, p_max integer, p_used text[]
  ) RETURNS SETOF ${row} ${WITH_GENERIC_PLAN} AS $$
  DECLARE
    v_bytes integer := octet_length(p_question) + octet_length(p_answer);
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    PERFORM FROM agent WHERE workspace_id = p_workspace_id AND id = p_agent_id FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'agent % is not there', p_agent_id USING ERRCODE = 'WT001';
    END IF;
    IF p_new_title IS NOT NULL THEN
      INSERT INTO session (id, workspace_id, agent_id, title, message_count, bytes)
      VALUES (p_session_id, p_workspace_id, p_agent_id, p_new_title, 2, v_bytes);
    ELSE
      UPDATE session SET active_at = clock_timestamp(), message_count = message_count + 2,
        bytes = bytes + v_bytes
      WHERE workspace_id = p_workspace_id AND agent_id = p_agent_id AND id = p_session_id;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'session % is not there', p_session_id USING ERRCODE = 'WT002';
      END IF;
    END IF;
    INSERT INTO message (id, workspace_id, session_id, sender_type, agent_name, content, proof_ids)
    VALUES
      (p_question_id, p_workspace_id, p_session_id, 'user', '', p_question, '{}'),
      (p_answer_id, p_workspace_id, p_session_id, 'agent', p_agent_name, p_answer, p_proof_ids);
    RETURN QUERY SELECT * FROM write_memories(
      p_workspace_id, p_agent_id, 'tag', p_session_id, p_own, p_global, p_max, p_used
    );
  END $$`;
