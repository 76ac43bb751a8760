export type ServerSettings = { port: number; durable: boolean };

/**
 * Returns the server's arguments. Arguments take precedence over configuration files, so that an
 * edited file cannot disable durability and a new release can change every setting.
 */
export function postgresArguments(dataDir: string, settings: ServerSettings): string[] {
  const all = { ...network(settings.port), ...SIZE, ...WAL, ...LOGGING, ...durability(settings) };
  return [
    '-D',
    dataDir,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

const network = (port: number): Record<string, string> => ({
  listen_addresses: '127.0.0.1',
  port: String(port),
  // Sockets are disabled, because the path of a socket is limited to about 100 characters.
  unix_socket_directories: '',
});

const SIZE: Record<string, string> = {
  // Enough for the hot data of a laptop; the operating system caches the rest.
  shared_buffers: '128MB',
  // Enough for six services with one pool each, several replicas in tests, and a psql session.
  max_connections: '200',
  // A parallel query on two cores delays all others, and Docker limits /dev/shm, which parallel
  // queries use, to 64 MB by default.
  max_parallel_workers_per_gather: '0',
  // The working set is in memory, where I/O workers only add context switches.
  io_method: 'sync',
  jit: 'off',
};

const WAL: Record<string, string> = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // Group commits of certificates can exceed the default, which is 4 MB for this `shared_buffers`.
  wal_buffers: '16MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
};

const LOGGING: Record<string, string> = {
  // Statement errors go to the client. In the file they could reveal parts of prompts; `log` still
  // records starts, recoveries and fatal errors.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  // Start-up failures are recognized by their English text.
  lc_messages: 'C',
};

const durability = ({ durable }: ServerSettings): Record<string, string> =>
  durable
    ? { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
    : {
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        // Tests open thousands of connections and store nothing worth protecting.
        scram_iterations: '1',
        max_wal_size: '256MB',
      };

/**
 * Complete environment of PostgreSQL's processes. This process's environment is not inherited,
 * because it may contain provider keys and `PG*` variables that change the server.
 */
export const SERVER_ENVIRONMENT: Record<string, string> = {
  LC_ALL: 'C',
  TZ: 'UTC',
  PATH: '/usr/bin:/bin',
};
