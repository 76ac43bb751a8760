import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** Observes commits in the database, and can block transactions before they commit. */
export type CommitWatch<Commit> = AsyncDisposable & {
  /** Returns all observed commits since the watch was opened. */
  commits: () => readonly Commit[];
  /** Resolves with the first commit, past or future, that matches. */
  whenCommitted: (matches: (commit: Commit) => boolean) => Promise<Commit>;
  /** Makes the triggers block transactions; `limit` is the value of `$1` in `blockSql`. */
  block: (limit: string | number) => Promise<void>;
  /** Resolves once a transaction is blocked. */
  whenBlocked: () => Promise<void>;
  /**
   * Stops blocking. With `isAlive` blocked transactions continue; by default they fail, because
   * their connections are terminated like those of a dead process.
   */
  unblock: (options?: { isAlive: boolean }) => Promise<void>;
};

/** The triggers that report commits and block transactions. */
export type Triggers<Commit> = {
  /**
   * SQL that creates the triggers. They report each write by `NOTIFY` on `channel`, which
   * PostgreSQL delivers when the transaction commits, and call `faults.wait()` to block the
   * transaction.
   */
  install: string;
  channel: string;
  /** SQL that makes the triggers block the transactions that `$1` selects. */
  blockSql: string;
  /** SQL that makes the triggers block nothing. */
  unblockSql: string;
  toCommit: (payload: string) => Commit;
};

const POLL_MS = 5;
/** Id of an advisory lock that Witan does not use. */
const LOCK = 7_421_090;

const PREPARE = `
  CREATE SCHEMA IF NOT EXISTS faults;
  CREATE OR REPLACE FUNCTION faults.wait() RETURNS void LANGUAGE sql SECURITY DEFINER
  AS $$ SELECT pg_advisory_xact_lock_shared(${LOCK}) $$`;

const WAITING = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;

/** Opens a watch over an administrator's connection. The watch ends if the database is killed. */
export const openCommitWatch = async <Commit>(
  databaseUrl: string,
  { install, channel, blockSql, unblockSql, toCommit }: Triggers<Commit>,
): Promise<CommitWatch<Commit>> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {
    // Without this listener, the end of a killed database would crash this process.
  });
  const commits: Commit[] = [];
  const waiting = new Set<() => void>();
  client.on('notification', ({ payload }) => {
    commits.push(toCommit(payload!));
    for (const check of waiting) check();
  });
  await client.connect();
  await client.query(PREPARE);
  await client.query(install);
  await client.query(`LISTEN ${channel}`);
  return {
    commits: () => commits,
    whenCommitted: (matches) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = commits.find(matches);
          if (!found) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    block: async (limit) => {
      await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
      await client.query(blockSql, [limit]);
    },
    whenBlocked: async () => {
      while ((await client.query(WAITING)).rowCount === 0) await pause(POLL_MS);
    },
    unblock: async ({ isAlive } = { isAlive: false }) => {
      await client.query(unblockSql);
      if (!isAlive) {
        await client.query(`SELECT pg_terminate_backend(pid) FROM (${WAITING}) AS held`);
      }
      await client.query('SELECT pg_advisory_unlock_all()');
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
};
