/**
 * The `code` of a Node system error (`ENOENT`), of a PostgreSQL error (SQLSTATE) or of a program
 * that failed (its exit code). By shape: errors of another realm fail `instanceof` under Jest.
 */
export const errorCode = (error: unknown): string | number | undefined =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (typeof error.code === 'string' || typeof error.code === 'number')
    ? error.code
    : undefined;
