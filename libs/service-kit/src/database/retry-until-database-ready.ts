import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../log/create-log.ts';
import { hasCause, isDatabaseUnreachable } from './is-database-unreachable.ts';

/**
 * Time for which a starting process waits for PostgreSQL, in milliseconds. It is shorter than the
 * 180 s of the startup probe in `deploy/k8s/base/pod.yaml`, so that the process reports the reason
 * before it would be killed; `tools/manifests` compares the two.
 */
export const DATABASE_WAIT_MS = 150_000;

const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 2_000;

/** Thrown when PostgreSQL, or a service's role, database or schema, is missing for too long. */
export class DatabaseNotReadyError extends Error {
  constructor(waitMs: number, cause: unknown) {
    super(`PostgreSQL was not ready within ${waitMs / 1_000} s: ${describe(cause)}`, { cause });
    this.name = 'DatabaseNotReadyError';
  }
}

/** Thrown when the schema of a service is missing and its role is not permitted to create it. */
export class SchemaMissingError extends Error {
  constructor(schema: string) {
    super(`schema "${schema}" does not exist`);
    this.name = 'SchemaMissingError';
  }
}

type RetryOptions = { log: Log; waitMs?: number };

/**
 * Repeats `work` while it fails because PostgreSQL is unreachable or not provisioned yet, with one
 * log line for the whole wait. Throws any other error at once, and DatabaseNotReadyError when
 * `waitMs` have passed.
 */
export const retryUntilDatabaseReady = async <T>(
  { log, waitMs = DATABASE_WAIT_MS }: RetryOptions,
  work: () => Promise<T>,
): Promise<T> => {
  const startedAt = performance.now();
  let retryMs = RETRY_MIN_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (err) {
      if (!isDatabaseNotReady(err)) throw err;
      if (performance.now() - startedAt >= waitMs) throw new DatabaseNotReadyError(waitMs, err);
      if (attempt === 1) {
        log.warn(
          { event: 'database_not_ready', waitMs, err },
          'PostgreSQL is not ready, will retry',
        );
      }
    }
    const leftMs = waitMs - (performance.now() - startedAt);
    await pause(Math.max(0, Math.min(retryMs * (0.5 + Math.random() / 2), leftMs)));
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  }
};

/**
 * SQLSTATE codes of a missing role or database. With a password, PostgreSQL reports a missing role
 * as 28P01, as it does a wrong password.
 */
const NOT_PROVISIONED = new Set(['28000', '28P01', '3D000']);

const isDatabaseNotReady = (error: unknown): boolean =>
  isDatabaseUnreachable(error) ||
  hasCause(
    error,
    (cause) =>
      cause instanceof SchemaMissingError ||
      ('code' in cause && typeof cause.code === 'string' && NOT_PROVISIONED.has(cause.code)),
  );

/** Returns the message of an error. An AggregateError of `pg` has one error per address instead. */
const describe = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  return error instanceof Error ? error.message : String(error);
};
