import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** A step of a debate that was committed. */
export type Step = {
  debateId: string;
  seq: number;
  kind: string;
  round: number;
  agentId: string;
  /** The same of all that was committed together. */
  write: string;
  /** When it was heard of, in milliseconds since the epoch. */
  at: number;
};

/** Sees steps as they are committed, and can keep the next one from being. */
export type StepWatch = AsyncDisposable & {
  /** Of all debates since it was opened. */
  steps: () => readonly Step[];
  /** Resolves with the step that fits, committed before or later. */
  whenStored: (fits: (step: Step) => boolean) => Promise<Step>;
  /** From now on whoever writes a later step than that waits, its transaction open. */
  hold: (afterSeq: number) => Promise<void>;
  /** Resolves when somebody waits. */
  whenHeld: () => Promise<void>;
  /**
   * Holds nobody more. The transactions that waited end with their connections, as those of a dead
   * process do; with `isAlive` they go on.
   */
  release: (options?: { isAlive: boolean }) => Promise<void>;
};

const POLL_MS = 5;
/** Any number that nobody else locks. */
const LOCK = 7_421_090;
const NOTHING_HELD = 2_147_483_647;

/**
 * A trigger of the run's own: production code knows nothing of it. `NOTIFY` is delivered with the
 * commit, so what is told is stored.
 */
const INSTALL = `
  CREATE SCHEMA IF NOT EXISTS faults;
  CREATE TABLE IF NOT EXISTS faults.hold (after_seq integer NOT NULL);
  DELETE FROM faults.hold;
  INSERT INTO faults.hold VALUES (${NOTHING_HELD});
  CREATE OR REPLACE FUNCTION faults.on_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  AS $$ BEGIN
    PERFORM pg_notify('faults_step', json_build_object(
      'debateId', NEW.debate_id, 'seq', NEW.seq, 'kind', NEW.kind, 'round', NEW.round_number,
      'agentId', NEW.agent_id, 'write', pg_current_xact_id()::text)::text);
    IF NEW.seq > (SELECT after_seq FROM faults.hold) THEN
      PERFORM pg_advisory_xact_lock_shared(${LOCK});
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER faults_on_step AFTER INSERT ON agents.debate_event
  FOR EACH ROW EXECUTE FUNCTION faults.on_step();
  LISTEN faults_step`;

const WAITING = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;

/** Over an administrator's connection. A database that is killed ends it: open another one then. */
export const openStepWatch = async (databaseUrl: string): Promise<StepWatch> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {
    // The run kills the database, too.
  });
  const steps: Step[] = [];
  const waiting = new Set<() => void>();
  client.on('notification', ({ payload }) => {
    steps.push({ ...(JSON.parse(payload!) as Omit<Step, 'at'>), at: Date.now() });
    for (const check of waiting) check();
  });
  await client.connect();
  await client.query(INSTALL);
  const setHold = (seq: number) => client.query('UPDATE faults.hold SET after_seq = $1', [seq]);
  return {
    steps: () => steps,
    whenStored: (fits) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = steps.find(fits);
          if (!found) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    hold: async (afterSeq) => {
      await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
      await setHold(afterSeq);
    },
    whenHeld: async () => {
      while ((await client.query(WAITING)).rowCount === 0) await pause(POLL_MS);
    },
    release: async ({ isAlive } = { isAlive: false }) => {
      await setHold(NOTHING_HELD);
      if (!isAlive)
        await client.query(`SELECT pg_terminate_backend(pid) FROM (${WAITING}) AS held`);
      await client.query('SELECT pg_advisory_unlock_all()');
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
};
