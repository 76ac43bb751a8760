/** Why the embedded PostgreSQL, or the provisioning of a database, refused. Tests assert these. */
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

/** A refusal with its reason; the message says what was wrong and what to do about it. */
export class PostgresError extends Error {
  readonly reason: PostgresErrorReason;

  constructor(reason: PostgresErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PostgresError';
    this.reason = reason;
  }
}
