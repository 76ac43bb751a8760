import { openCommitWatch } from '../open-commit-watch.ts';
import type { CommitWatch } from '../open-commit-watch.ts';

/**
 * Kinds of database writes of an advance, in their order: lease, decision of a panel, new states,
 * report.
 */
export type WriteKind = 'lease' | 'council' | 'turn' | 'report';

export type Write = {
  kind: WriteKind;
  /** Name of the scenario; empty if the write is not of one scenario. */
  scenario: string;
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

/** Observes committed writes of an advance. `block` blocks writes of one kind. */
export const openWriteWatch = (
  databaseUrl: string,
  scenarios: ReadonlyMap<string, string>,
): Promise<CommitWatch<Write>> =>
  openCommitWatch(databaseUrl, {
    install: INSTALL,
    channel: 'faults_write',
    blockSql: 'INSERT INTO faults.held_kind VALUES ($1)',
    unblockSql: 'DELETE FROM faults.held_kind',
    toCommit: (payload) => {
      const { kind, scenarioId } = JSON.parse(payload) as { kind: WriteKind; scenarioId: string };
      return { kind, scenario: scenarios.get(scenarioId) ?? '' };
    },
  });
