import { sqlMigration } from '@witan/service-kit';

const CHAT_TURN = `
  CREATE TYPE chat_turn AS (
    agent_id text, session_id text, new_title text, question_id text, question text,
    answer_id text, answer text, agent_name text, proof_ids text[], local_only boolean,
    tainted boolean
  )`;

const NEW_DEBATE = `
  CREATE TYPE new_debate AS (
    id text, conversation_id text, message_id text, owner text, key text, question text,
    briefing text, request_sha256 text, request_id text, config json, fingerprint text,
    created_at timestamptz, bytes integer
  )`;

const DEBATE_STEPS = `
  CREATE TYPE debate_answer_columns AS (
    round_number integer[], agent_id text[], agent_name text[], message_id text[], answer json[],
    answered_at timestamptz[], reason text[]
  );
  CREATE TYPE debate_step_values AS (
    frame json, round_number integer, convergence_score float8, report json,
    started_round integer, synthesis json, synthesis_message_id text, synthesis_bytes integer,
    synthesized_at timestamptz, failure json
  );
  CREATE TYPE debate_outbox_event AS (
    id uuid, type text, occurred_at timestamptz, trace jsonb, payload bytea
  );
  CREATE TYPE debate_event_columns AS (
    kind text[], round_number integer[], agent_id text[], answer_index integer[]
  )`;

/**
 * Adds types of arguments of SQL functions: rows, and lists of rows with an array per column. Model
 * output is not passed as jsonb, which rejects unpaired surrogates.
 */
export const ArgumentTypes = sqlMigration(CHAT_TURN, NEW_DEBATE, DEBATE_STEPS);
