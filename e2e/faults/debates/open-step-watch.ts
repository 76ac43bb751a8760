import { openCommitWatch } from '../open-commit-watch.ts';
import type { CommitWatch } from '../open-commit-watch.ts';

export type Step = {
  debateId: string;
  seq: number;
  kind: string;
  round: number;
  agentId: string;
  /** Id of the database transaction; steps that were committed together have the same id. */
  write: string;
  /** Time at which the fault run was notified, in milliseconds since the epoch. */
  at: number;
};

const INSTALL = `
  CREATE TABLE IF NOT EXISTS faults.held_after (seq integer NOT NULL);
  DELETE FROM faults.held_after;
  CREATE OR REPLACE FUNCTION faults.on_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  AS $$ BEGIN
    PERFORM pg_notify('faults_step', json_build_object(
      'debateId', NEW.debate_id, 'seq', NEW.seq, 'kind', NEW.kind, 'round', NEW.round_number,
      'agentId', NEW.agent_id, 'write', pg_current_xact_id()::text)::text);
    IF EXISTS (SELECT FROM faults.held_after WHERE held_after.seq < NEW.seq) THEN
      PERFORM faults.wait();
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER faults_on_step AFTER INSERT ON agents.debate_event
  FOR EACH ROW EXECUTE FUNCTION faults.on_step()`;

/**
 * Observes the committed steps of debates. `block` blocks transactions that store a step whose
 * `seq` is above the limit.
 */
export const openStepWatch = (databaseUrl: string): Promise<CommitWatch<Step>> =>
  openCommitWatch(databaseUrl, {
    install: INSTALL,
    channel: 'faults_step',
    blockSql: 'INSERT INTO faults.held_after VALUES ($1)',
    unblockSql: 'DELETE FROM faults.held_after',
    toCommit: (payload) => ({ ...(JSON.parse(payload) as Omit<Step, 'at'>), at: Date.now() }),
  });
