import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** Sees what is committed, and can keep some of it from being. */
export type CommitWatch<Commit> = AsyncDisposable & {
  /** All since it was opened. */
  seen: () => readonly Commit[];
  /** Resolves with the one that fits, committed before or later. */
  whenStored: (fits: (commit: Commit) => boolean) => Promise<Commit>;
  /** From now on whoever writes what `statement` tells the triggers waits, its transaction open. */
  hold: (statement: string, values: unknown[]) => Promise<void>;
  /** Resolves when somebody waits. */
  whenHeld: () => Promise<void>;
  /**
   * Holds nobody more, as `statement` tells the triggers. The transactions that waited end with
   * their connections, as those of a dead process do; with `isAlive` they go on.
   */
  release: (statement: string, options: { isAlive: boolean }) => Promise<void>;
};

/** How the triggers of a watch are made, and read. */
export type Triggers<Commit> = {
  /**
   * Triggers of the run's own: production code knows nothing of them. They `NOTIFY` the channel,
   * which is delivered with the commit, so what is told is stored; and call `faults.wait()` for
   * what is held.
   */
  install: string;
  channel: string;
  toCommit: (payload: string) => Commit;
};

const POLL_MS = 5;
/** Any number that nobody else locks. */
const LOCK = 7_421_090;

const PREPARE = `
  CREATE SCHEMA IF NOT EXISTS faults;
  CREATE OR REPLACE FUNCTION faults.wait() RETURNS void LANGUAGE sql SECURITY DEFINER
  AS $$ SELECT pg_advisory_xact_lock_shared(${LOCK}) $$`;

const WAITING = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;

/** Over an administrator's connection. A database that is killed ends it: open another one then. */
export const openCommitWatch = async <Commit>(
  databaseUrl: string,
  { install, channel, toCommit }: Triggers<Commit>,
): Promise<CommitWatch<Commit>> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {
    // The run kills the database, too.
  });
  const seen: Commit[] = [];
  const waiting = new Set<() => void>();
  client.on('notification', ({ payload }) => {
    seen.push(toCommit(payload!));
    for (const check of waiting) check();
  });
  await client.connect();
  await client.query(PREPARE);
  await client.query(install);
  await client.query(`LISTEN ${channel}`);
  return {
    seen: () => seen,
    whenStored: (fits) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = seen.find(fits);
          if (!found) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    hold: async (statement, values) => {
      await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
      await client.query(statement, values);
    },
    whenHeld: async () => {
      while ((await client.query(WAITING)).rowCount === 0) await pause(POLL_MS);
    },
    release: async (statement, { isAlive }) => {
      await client.query(statement);
      if (!isAlive) {
        await client.query(`SELECT pg_terminate_backend(pid) FROM (${WAITING}) AS held`);
      }
      await client.query('SELECT pg_advisory_unlock_all()');
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
};
