const NETWORK_ERROR_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * SQLSTATE codes: class 08 (connection exceptions), 57P01 to 57P03 (server stopping, crashed or
 * starting), and classes 53 and 58 (no disk, memory or connection left, errors of the system); see
 * PostgreSQL, appendix A.
 */
const UNREACHABLE_SQLSTATE = /^(08[0-9A-Z]{3}|57P0[1-3]|53\d{3}|58\d{3})$/;

/** Prefixes of messages of errors that `pg` itself creates, which have no code. */
const PG_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
];

const CAUSES_MAX = 5;

export const isDatabaseUnreachable = (error: unknown): boolean =>
  hasCause(error, (cause) => {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    return (
      NETWORK_ERROR_CODES.has(code) || UNREACHABLE_SQLSTATE.test(code) || isPgConnectionError(cause)
    );
  });

/** Returns true if the predicate is true for the error or one of its causes. */
export const hasCause = (
  error: unknown,
  predicate: (cause: Error) => boolean,
  depth = 0,
): boolean => {
  if (!Error.isError(error) || depth > CAUSES_MAX) return false;
  if (predicate(error)) return true;
  // After failing to connect to a host with several addresses, the error contains one error per
  // address.
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.some((cause) => hasCause(cause, predicate, depth + 1));
};

const isPgConnectionError = ({ message }: Error): boolean =>
  PG_MESSAGES.some((text) => message.startsWith(text));
