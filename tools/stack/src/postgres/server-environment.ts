/**
 * The whole environment of PostgreSQL's processes. They do not inherit ours: it holds provider
 * keys that another account must not see, and `PG*` variables that would change the server.
 */
export const SERVER_ENVIRONMENT: Record<string, string> = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/bin:/bin',
};
