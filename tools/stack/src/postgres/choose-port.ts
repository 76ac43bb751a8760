import { createServer } from 'node:net';
import { PostgresError } from './postgres-error.ts';

// Ports are chosen below the ephemeral range (from 32768 on Linux, 49152 on macOS). Otherwise a
// client that retries while the server is down could be assigned the server's port, connect to
// itself, and block the server.
const LOWEST = 15_000;
const HIGHEST = 29_999;
const ATTEMPTS = 100;

// A port is bound only some time after it was chosen. To avoid collisions until then, a process
// tries all ports of the range before it repeats one, and starts at a port that depends on its pid.
const PORTS_PER_PROCESS = 61;
let next = LOWEST + ((process.pid * PORTS_PER_PROCESS) % (HIGHEST + 1 - LOWEST));

const takeNext = (): number => {
  const port = next;
  next = port === HIGHEST ? LOWEST : port + 1;
  return port;
};

/**
 * Returns a free port of 127.0.0.1: `wanted` unless it is 0, otherwise `preferred` if that is free,
 * otherwise the next free port of this process's sequence. Throws PostgresError `port-taken` if
 * `wanted` is in use, or if 100 ports of the sequence are.
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

/** Returns whether a program may listen on this port of 127.0.0.1. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      probe.close(() => resolve(true));
    });
  });
