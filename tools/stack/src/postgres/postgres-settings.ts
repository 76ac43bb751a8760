/** What may differ between two servers. `durable: false` is for tests: it survives no crash. */
export type ServerSettings = { port: number; durable: boolean };

/**
 * The server's arguments. They are given on the command line, so that no edited configuration file
 * can turn durability off, and a new release changes them everywhere at once.
 */
export function postgresArguments(dataDir: string, settings: ServerSettings): string[] {
  const chosen = { ...reach(settings.port), ...SIZE, ...WAL, ...LOGGING, ...safety(settings) };
  return [
    '-D',
    dataDir,
    ...Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

const reach = (port: number): Record<string, string> => ({
  // The embedded server belongs to this machine's user alone.
  listen_addresses: '127.0.0.1',
  port: String(port),
  // One way in, with a password. A socket's path would also be limited to about 100 characters.
  unix_socket_directories: '',
});

const SIZE: Record<string, string> = {
  // Room for the hot set of a laptop; the operating system's cache holds the rest.
  shared_buffers: '128MB',
  // Six services with a pool each, several replicas in a fault test, and a person with psql.
  max_connections: '200',
  // Two cores are busy with the services: a query that takes both makes every other one wait,
  // and containers give /dev/shm, where parallel queries talk, only 64 MB.
  max_parallel_workers_per_gather: '0',
  // The working set is in memory, where three I/O worker processes only add context switches.
  io_method: 'sync',
  // Compiling a query costs more than any of ours takes.
  jit: 'off',
};

const WAL: Record<string, string> = {
  // Nothing replicates from an embedded server, so the log holds what crash recovery needs only.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // Group commits of certificates are larger than the 4 MB that would follow shared_buffers.
  wal_buffers: '16MB',
  // Fewer checkpoints write fewer full pages; replaying 1 GB takes seconds.
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
};

const LOGGING: Record<string, string> = {
  // Errors of statements go to their client. In the file they would repeat values, and so pieces
  // of prompts; "log" keeps starts, recoveries, checkpoints and fatal failures.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  // Start-up failures are recognised by their English text.
  lc_messages: 'C',
};

const safety = ({ durable }: ServerSettings): Record<string, string> =>
  durable
    ? { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
    : {
        // A test's database need not outlive a crash, not even the server's: commits do not wait.
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        // Tests open thousands of connections, and keep nothing that a password would guard.
        scram_iterations: '1',
        // Checkpoints are free without fsync, and tests keep their server in memory.
        max_wal_size: '256MB',
      };
