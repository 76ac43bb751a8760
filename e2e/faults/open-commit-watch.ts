import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** Observes commits, and can block some of them. */
export type CommitWatch<Commit> = AsyncDisposable & {
  /** Returns all commits since the watch was opened. */
  seen: () => readonly Commit[];
  /** Resolves with the first matching commit, past or future. */
  whenStored: (matches: (commit: Commit) => boolean) => Promise<Commit>;
  /** Blocks the transactions selected by `statement`, which configures the triggers. */
  hold: (statement: string, values: unknown[]) => Promise<void>;
  /** Resolves when a transaction is blocked. */
  whenHeld: () => Promise<void>;
  /**
   * Unblocks as `statement` configures. Blocked transactions fail with their connections, as those
   * of a dead process; with `isAlive` they continue.
   */
  release: (statement: string, options: { isAlive: boolean }) => Promise<void>;
};

/** SQL that installs and reads the triggers of a watch. */
export type Triggers<Commit> = {
  /**
   * SQL of the run's own triggers. They `NOTIFY` the channel, which is delivered with the commit,
   * and call `faults.wait()` to block.
   */
  install: string;
  channel: string;
  toCommit: (payload: string) => Commit;
};

const POLL_MS = 5;
/** An advisory lock that Witan does not use. */
const LOCK = 7_421_090;

const PREPARE = `
  CREATE SCHEMA IF NOT EXISTS faults;
  CREATE OR REPLACE FUNCTION faults.wait() RETURNS void LANGUAGE sql SECURITY DEFINER
  AS $$ SELECT pg_advisory_xact_lock_shared(${LOCK}) $$`;

const WAITING = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;

/** Opens a watch over an administrator's connection. A killed database ends the watch. */
export const openCommitWatch = async <Commit>(
  databaseUrl: string,
  { install, channel, toCommit }: Triggers<Commit>,
): Promise<CommitWatch<Commit>> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {
    // The run also kills the database.
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
    whenStored: (matches) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = seen.find(matches);
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
