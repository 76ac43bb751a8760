import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findNatsServer, HOW_TO_GET_NATS } from '@witan/stack/nats/find-nats-server';
import { deleteEmbeddedNats, openEmbeddedNats } from '@witan/stack/nats/open-embedded-nats';
import { readTestPath } from '../config.ts';
import { createTestNatsHome, toNatsDir } from './test-nats-home.ts';

/** A private nats-server with JetStream. Disposing stops the server and deletes its directory. */
export type TestNats = AsyncDisposable & {
  url: string;
  /** Temporary directory of the server. */
  home: string;
  /** Pid of the running server process or, if no server runs, of the last one. */
  readonly pid: number;
  /** Sends a signal to the server and, if the signal terminates it, waits for its exit. */
  kill: (signal: NodeJS.Signals) => Promise<void>;
  restart: () => Promise<void>;
  /**
   * Kills the server and deletes its stored messages, to simulate a lost disk. Call `restart` to
   * start it again.
   */
  wipe: () => Promise<void>;
};

const NATS_SERVER_PATH = findNatsServer(readTestPath());

/**
 * Reason why no nats-server is available, used in the names of skipped tests; undefined if a
 * nats-server is available.
 */
export const NATS_MISSING: string | undefined =
  NATS_SERVER_PATH === undefined
    ? `no nats-server here; to get one: ${HOW_TO_GET_NATS}`
    : undefined;

const NON_TERMINATING = new Set<NodeJS.Signals>(['SIGSTOP', 'SIGCONT', 'SIGHUP', 'SIGUSR1']);

/**
 * Starts a nats-server without a password in a temporary directory, which takes about 50 ms.
 * Returns undefined if none is installed; `NATS_MISSING` then contains the reason.
 */
export const openTestNats = async (): Promise<TestNats | undefined> => {
  if (NATS_SERVER_PATH === undefined) return undefined;
  const home = await createTestNatsHome();
  const dir = toNatsDir(home);
  const open = (port: number) =>
    openEmbeddedNats({ program: NATS_SERVER_PATH, dir, port, durable: false, log });
  const discard = async (): Promise<void> => {
    await deleteEmbeddedNats({ dir, log });
    await rm(home, { recursive: true, force: true });
  };
  let server = await open(0).catch(async (error: unknown) => {
    await discard();
    throw error;
  });
  let isRunning = true;
  const watchExit = (): void => void server.exited.then(() => (isRunning = false));
  watchExit();
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    // Sends no signal after the server has exited, because another process may have its pid.
    if (!isRunning) return;
    process.kill(server.pid, signal);
    if (!NON_TERMINATING.has(signal)) await server.exited;
  };
  return {
    url: server.url,
    home,
    get pid() {
      return server.pid;
    },
    kill,
    restart: async () => {
      await server.stop();
      server = await open(server.port);
      isRunning = true;
      watchExit();
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
