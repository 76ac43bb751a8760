import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findNatsServer, HOW_TO_GET_NATS } from '@witan/stack/nats/find-nats-server';
import { deleteEmbeddedNats, openEmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import { readTestPath } from './config.ts';
import { createTestNatsHome, toNatsDir } from './test-nats-home.ts';

/** A nats-server with JetStream of the test's own; disposing ends it and deletes its folder. */
export type TestNats = AsyncDisposable & {
  /** Stays the same when it is restarted. */
  url: string;
  /** Of the process that runs, or ran last. */
  readonly pid: number;
  /** Sends a signal; one that ends the process is answered when it has ended. */
  kill: (signal: NodeJS.Signals) => Promise<void>;
  /** Ends it in order if it runs, and starts it again on the same port and store. */
  restart: () => Promise<void>;
  /** Kills it if it runs, and deletes its store, as a lost disk would; `restart` follows. */
  wipe: () => Promise<void>;
};

const PROGRAM = findNatsServer(readTestPath());

/** Why tests have no nats-server, for the name of a skipped test; undefined where there is one. */
export const NATS_MISSING: string | undefined =
  PROGRAM === undefined ? `no nats-server here; to get one: ${HOW_TO_GET_NATS}` : undefined;

// They stop the process, or let it go on; every other one ends it.
const LASTING = new Set<NodeJS.Signals>(['SIGSTOP', 'SIGCONT', 'SIGHUP', 'SIGUSR1']);

/**
 * Starts a nats-server in a temporary folder, in about 50 ms; undefined where there is none, see
 * `NATS_MISSING`. It has no password: any client reaches it by the URL alone.
 */
export const openTestNats = async (): Promise<TestNats | undefined> => {
  if (PROGRAM === undefined) return undefined;
  const home = await createTestNatsHome();
  const dir = toNatsDir(home);
  const open = (port: number) =>
    openEmbeddedNats({ program: PROGRAM, dir, port, durable: false, log });
  const discard = async (): Promise<void> => {
    await deleteEmbeddedNats({ dir, log });
    await rm(home, { recursive: true, force: true });
  };
  let server = await open(0).catch(async (error: unknown) => {
    await discard();
    throw error;
  });
  let isRunning = true;
  const watch = (): void => void server.exited.then(() => (isRunning = false));
  watch();
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    // A number that was given up may be another process's by now.
    if (!isRunning) return;
    process.kill(server.pid, signal);
    if (!LASTING.has(signal)) await server.exited;
  };
  return {
    url: server.url,
    get pid() {
      return server.pid;
    },
    kill,
    restart: async () => {
      await server.stop();
      server = await open(server.port);
      isRunning = true;
      watch();
    },
    wipe: async () => {
      await kill('SIGKILL');
      await rm(join(dir, 'store'), { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL');
      await discard();
    },
  };
};

const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
