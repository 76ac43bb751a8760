import { createServer } from 'node:net';
import { PostgresError } from './postgres-error.ts';

// Below the range from which operating systems take ports for outgoing connections (32768 up on
// Linux, 49152 up on macOS): while the server is down for a moment, a client that retries could
// otherwise be given the server's own port, connect to itself, and keep the server out.
const LOWEST = 15_000;
const HIGHEST = 29_999;
const ATTEMPTS = 100;

// A chosen port is bound some time later. So that no other caller gets it meanwhile, a process
// tries each port once, and processes with different ids begin at different ports.
const PORTS_PER_PROCESS = 61;
let next = LOWEST + ((process.pid * PORTS_PER_PROCESS) % (HIGHEST + 1 - LOWEST));

const takeNext = (): number => {
  const port = next;
  next = port === HIGHEST ? LOWEST : port + 1;
  return port;
};

/**
 * A port of 127.0.0.1 that was free a moment ago: `wanted` if it is given (throws `port-taken`),
 * else `preferred` if that is free, else any that this process has not been given yet.
 */
export async function choosePort(options: { wanted: number; preferred?: number }): Promise<number> {
  const { wanted, preferred } = options;
  if (wanted !== 0) {
    if (await isFree(wanted)) return wanted;
    throw new PostgresError(
      'port-taken',
      `Port ${wanted} of 127.0.0.1, chosen for PostgreSQL, is in use. Free it or choose another.`,
    );
  }
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const port = takeNext();
    if (await isFree(port)) return port;
  }
  throw new PostgresError(
    'port-taken',
    `No free port for PostgreSQL was found between ${LOWEST} and ${HIGHEST} of 127.0.0.1.`,
  );
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      probe.close(() => resolve(true));
    });
  });
