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
