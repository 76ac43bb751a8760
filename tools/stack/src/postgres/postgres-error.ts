import { stat } from 'node:fs/promises';

export type PostgresErrorReason =
  | 'unsupported-platform'
  | 'binaries-missing'
  | 'unreachable-place'
  | 'state-missing'
  | 'already-running'
  | 'port-taken'
  | 'not-started'
  | 'not-stopped'
  | 'invalid-request'
  | 'admin-lacks-privilege'
  | 'schema-taken';

export class PostgresError extends Error {
  readonly reason: PostgresErrorReason;

  constructor(reason: PostgresErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PostgresError';
    this.reason = reason;
  }
}

/**
 * Returns the `code` of a Node system error (`ENOENT`), a PostgreSQL error (SQLSTATE), or a failed
 * program (exit code). Checked by shape, because these errors have no common class.
 */
export const errorCode = (error: unknown): string | number | undefined =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (typeof error.code === 'string' || typeof error.code === 'number')
    ? error.code
    : undefined;

export async function pathExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

export type NatsErrorReason =
  | 'not-found'
  | 'already-running'
  | 'too-old'
  | 'not-started'
  | 'not-stopped';

export class NatsError extends Error {
  readonly reason: NatsErrorReason;

  constructor(reason: NatsErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NatsError';
    this.reason = reason;
  }
}
