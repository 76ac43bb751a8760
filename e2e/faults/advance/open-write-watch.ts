import { openCommitWatch } from '../open-commit-watch.ts';
import type { CommitWatch } from '../open-commit-watch.ts';

/**
 * Kinds of database writes of an advance, in their order: lease, decision of a panel, new states,
 * report.
 */
export const WRITE_KINDS = ['lease', 'council', 'turn', 'report'] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

export type Write = {
  kind: WriteKind;
  simulationId: string;
  scenarioId: string;
};

/** Observes committed writes of an advance, and can block writes of one kind before they commit. */
export type WriteWatch = Omit<CommitWatch<Write>, 'block' | 'unblock'> & {
  block: (kind: WriteKind) => Promise<void>;
  /**
   * Stops blocking. The blocked transactions fail, because their connections are terminated like
   * those of a dead process.
   */
  unblock: () => Promise<void>;
};

const INSTALL = `
  CREATE TABLE IF NOT EXISTS faults.held_kind (kind text NOT NULL);
  DELETE FROM faults.held_kind;
  CREATE OR REPLACE FUNCTION faults.on_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  AS $$
  DECLARE
    written jsonb := to_jsonb(NEW);
    kind text := TG_ARGV[0];
  BEGIN
    PERFORM pg_notify('faults_write', json_build_object('kind', kind,
      'simulationId', coalesce(written->>'simulation_id', written->>'id', ''),
      'scenarioId', coalesce(written->>'scenario_id', ''))::text);
    IF EXISTS (SELECT FROM faults.held_kind WHERE held_kind.kind = TG_ARGV[0]) THEN
      PERFORM faults.wait();
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER faults_on_hold AFTER UPDATE ON simulation.simulation FOR EACH ROW
    WHEN (NEW.lease IS NOT NULL AND NEW.lease IS DISTINCT FROM OLD.lease)
    EXECUTE FUNCTION faults.on_write('lease');
  CREATE OR REPLACE TRIGGER faults_on_council AFTER INSERT OR UPDATE ON simulation.council
    FOR EACH ROW WHEN (NEW.verdict IS NOT NULL) EXECUTE FUNCTION faults.on_write('council');
  CREATE OR REPLACE TRIGGER faults_on_turn AFTER INSERT ON simulation.state
    FOR EACH ROW EXECUTE FUNCTION faults.on_write('turn');
  CREATE OR REPLACE TRIGGER faults_on_report AFTER INSERT ON simulation.report
    FOR EACH ROW EXECUTE FUNCTION faults.on_write('report')`;

export const openWriteWatch = async (databaseUrl: string): Promise<WriteWatch> => {
  const watch = await openCommitWatch(databaseUrl, {
    install: INSTALL,
    channel: 'faults_write',
    toCommit: (payload) => JSON.parse(payload) as Write,
  });
  return {
    ...watch,
    block: (kind) => watch.block('INSERT INTO faults.held_kind VALUES ($1)', [kind]),
    unblock: () => watch.unblock('DELETE FROM faults.held_kind', { isAlive: false }),
  };
};
