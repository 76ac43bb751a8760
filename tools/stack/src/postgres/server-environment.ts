/**
 * Complete environment of PostgreSQL's processes. This process's environment is not inherited,
 * because it contains provider keys and may contain `PG*` variables that change the server.
 */
export const SERVER_ENVIRONMENT: Record<string, string> = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/bin:/bin',
};
