import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** What an advance writes, in order. */
export const WRITES = ['hold', 'council', 'turn', 'report'] as const;
export type WriteKind = (typeof WRITES)[number];

/** A write of an advance that was committed. */
export type Write = {
  kind: WriteKind;
  simulationId: string;
  /** Of a council. */
  scenarioId: string;
};

/** Sees writes as they are committed, and can keep those of a kind from being. */
export type WriteWatch = AsyncDisposable & {
  writes: () => readonly Write[];
  /** Resolves with the write that fits, committed before or later. */
  whenStored: (fits: (write: Write) => boolean) => Promise<Write>;
  /** From now on whoever writes one of the kind waits, its transaction open. */
  hold: (kind: WriteKind) => Promise<void>;
  /** Resolves when somebody waits. */
  whenHeld: () => Promise<void>;
  /** Holds nobody more; what waited ends with its connection, as that of a dead process does. */
  release: () => Promise<void>;
};

const POLL_MS = 5;
/** Any number that nobody else locks. */
const LOCK = 7_421_091;

/**
 * Triggers of the run's own: production code knows nothing of them. `NOTIFY` is delivered with the
 * commit, so what is told is stored.
 */
const INSTALL = `
  CREATE SCHEMA IF NOT EXISTS faults;
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
      PERFORM pg_advisory_xact_lock_shared(${LOCK});
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER faults_on_hold AFTER UPDATE ON simulation.simulation FOR EACH ROW
    WHEN (NEW.lease IS NOT NULL AND NEW.lease IS DISTINCT FROM OLD.lease)
    EXECUTE FUNCTION faults.on_write('hold');
  CREATE OR REPLACE TRIGGER faults_on_council AFTER INSERT OR UPDATE ON simulation.council
    FOR EACH ROW WHEN (NEW.verdict IS NOT NULL) EXECUTE FUNCTION faults.on_write('council');
  CREATE OR REPLACE TRIGGER faults_on_turn AFTER INSERT ON simulation.state
    FOR EACH ROW EXECUTE FUNCTION faults.on_write('turn');
  CREATE OR REPLACE TRIGGER faults_on_report AFTER INSERT ON simulation.report
    FOR EACH ROW EXECUTE FUNCTION faults.on_write('report');
  LISTEN faults_write`;

const WAITING = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;

/** Over an administrator's connection. A database that is killed ends it: open another one then. */
export const openWriteWatch = async (databaseUrl: string): Promise<WriteWatch> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {
    // The run kills the database, too.
  });
  const writes: Write[] = [];
  const waiting = new Set<() => void>();
  client.on('notification', ({ payload }) => {
    writes.push(JSON.parse(payload!) as Write);
    for (const check of waiting) check();
  });
  await client.connect();
  await client.query(INSTALL);
  return {
    writes: () => writes,
    whenStored: (fits) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = writes.find(fits);
          if (!found) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    hold: async (kind) => {
      await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
      await client.query('INSERT INTO faults.held_kind VALUES ($1)', [kind]);
    },
    whenHeld: async () => {
      while ((await client.query(WAITING)).rowCount === 0) await pause(POLL_MS);
    },
    release: async () => {
      await client.query('DELETE FROM faults.held_kind');
      await client.query(`SELECT pg_terminate_backend(pid) FROM (${WAITING}) AS held`);
      await client.query('SELECT pg_advisory_unlock_all()');
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
};
