/**
 * Returns the `code` of a Node system error (`ENOENT`), a PostgreSQL error (SQLSTATE), or a failed
 * program (exit code). Checked by shape, because `instanceof` fails for errors of another realm
 * under Jest.
 */
export const errorCode = (error: unknown): string | number | undefined =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (typeof error.code === 'string' || typeof error.code === 'number')
    ? error.code
    : undefined;
