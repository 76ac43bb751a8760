/** Reasons of all failures that services report. An error without a reason is a bug. */
export const REASONS = [
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'CALLER_REFUSED',
  'INSUFFICIENT_SCOPE',
  'INSUFFICIENT_QUOTA',
  'RATE_LIMITED',
  'NOT_FOUND',
  'CONFLICT',
  'IDEMPOTENCY_KEY_REUSED',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'NOT_IMPLEMENTED',
  'UNAVAILABLE',
  'LEDGER_UNAVAILABLE',
  'LOCAL_RUNTIME_UNAVAILABLE',
  'PROVIDER_UNREACHABLE',
  'PROVIDER_CREDENTIALS_REFUSED',
  'PROVIDER_INVALID_ANSWER',
  'PROVIDER_TIMEOUT',
  'PROVIDER_STREAM_CUT',
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
] as const;

export type Reason = (typeof REASONS)[number];

export type ErrorFields = Readonly<Record<string, string>>;

/**
 * A failure with a reason. The message is shown to the caller and must not contain a stack trace,
 * SQL, a host name or content.
 */
export class ServiceError extends Error {
  readonly reason: Reason;
  readonly fields: ErrorFields;

  constructor(
    reason: Reason,
    message: string,
    options: { cause?: unknown; fields?: ErrorFields } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ServiceError';
    this.reason = reason;
    this.fields = options.fields ?? {};
  }
}

/**
 * Returns true for a `ServiceError`, also for one from another copy of this module, which
 * `instanceof` would miss. Tests load several copies.
 */
export const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof ServiceError ||
  (typeof error === 'object' && error !== null && 'name' in error && error.name === 'ServiceError');

export const isReason = (text: string): text is Reason =>
  (REASONS as readonly string[]).includes(text);

export const invalidRequest = (message: string, fields?: ErrorFields): ServiceError =>
  new ServiceError('INVALID_REQUEST', message, { fields });

export const notFound = (message: string, fields?: ErrorFields): ServiceError =>
  new ServiceError('NOT_FOUND', message, { fields });

export const conflict = (message: string, fields?: ErrorFields): ServiceError =>
  new ServiceError('CONFLICT', message, { fields });

export const unavailable = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('UNAVAILABLE', message, { cause });

export const cancelled = (): ServiceError =>
  new ServiceError('CANCELLED', 'The caller went away before the call ended.');

export const deadlineExceeded = (): ServiceError =>
  new ServiceError('DEADLINE_EXCEEDED', 'The call did not end before its deadline.');
