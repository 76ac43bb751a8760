import { access, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { choosePort } from '../postgres/choose-port.ts';
import { lockDirectory } from '../postgres/lock-directory.ts';
import type { DirectoryLock } from '../postgres/lock-directory.ts';
import { errorCode, PostgresError, NatsError } from '../postgres/postgres-error.ts';
import { endPreviousNatsServer } from './end-previous-nats-server.ts';
import { NATS_USER, readNatsVersion, toNatsSettings } from './nats-settings.ts';
import { startNatsServer } from './start-nats-server.ts';
import type { NatsProcess, NatsStart } from './start-nats-server.ts';

export type EmbeddedNats = NatsProcess & {
  url: string;
  port: number;
};

export type EmbeddedNatsOptions = {
  program: string;
  dir: string;
  port?: number;
  password?: string;
  /** `false` is for tests only: acknowledged messages may then be lost in a power cut. */
  durable?: boolean;
  log: (line: string) => void;
};

const PORT_ATTEMPTS = 5;

/**
 * Starts a nats-server with its streams in `dir`, which is created if missing. First stops an
 * orphan of a killed owner. The server does not keep this process alive and does not end with it:
 * call `stop`, or the next owner of `dir` stops it as an orphan. Throws NatsError if the program
 * cannot be run or is too old, `dir` is in use, an orphan does not stop, or the server does not
 * start.
 */
export const openEmbeddedNats = async (options: EmbeddedNatsOptions): Promise<EmbeddedNats> => {
  const { program, password, durable = true, log } = options;
  const version = await readNatsVersion(program);
  await mkdir(options.dir, { recursive: true, mode: 0o700 });
  // Links are resolved, because an orphan is found by this path in its arguments.
  const folder = await realpath(options.dir);
  const lock = await lockFolder(folder);
  try {
    const storeDir = join(folder, 'store');
    await endPreviousNatsServer({ storeDir, log });
    const settingsFile = join(folder, 'nats.conf');
    const settings = toNatsSettings({ version, password, durable });
    await writeFile(settingsFile, settings, { mode: 0o600 });
    const files = { program, folder, storeDir, settingsFile };
    const { server, port } = await startOnAnyPort(files, options.port ?? 0);
    const account = password === undefined ? '' : `${NATS_USER}:${encodeURIComponent(password)}@`;
    return toHandle({ server, lock, port, url: `nats://${account}127.0.0.1:${port}` });
  } catch (error) {
    await lock.release();
    throw error;
  }
};

export const deleteEmbeddedNats = async (options: {
  dir: string;
  log: (line: string) => void;
}): Promise<void> => {
  try {
    await access(options.dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  const folder = await realpath(options.dir);
  await lockFolder(folder);
  await endPreviousNatsServer({ storeDir: join(folder, 'store'), log: options.log });
  await rm(folder, { recursive: true, force: true });
};

const lockFolder = (folder: string): Promise<DirectoryLock> =>
  lockDirectory(folder).catch((cause: unknown) => {
    if (!(cause instanceof PostgresError)) throw cause;
    const message = `The streams in ${folder} are in use by another system: stop that one first.`;
    throw new NatsError('already-running', message, { cause });
  });

/**
 * Starts the server on port `wanted`, or on a free port if `wanted` is 0. Another process can bind
 * the free port first, so up to 5 ports are tried.
 */
const startOnAnyPort = async (
  files: Omit<NatsStart, 'port'>,
  wanted: number,
): Promise<{ server: NatsProcess; port: number }> => {
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted === 0 ? await choosePort({ wanted }) : wanted;
    try {
      return { server: await startNatsServer({ ...files, port }), port };
    } catch (error) {
      const isTaken = error instanceof NatsError && /address already in use/.test(error.message);
      if (!isTaken || wanted !== 0 || attempt === PORT_ATTEMPTS) throw error;
    }
  }
};

const toHandle = (parts: {
  server: NatsProcess;
  lock: DirectoryLock;
  port: number;
  url: string;
}): EmbeddedNats => {
  const { server, lock, port, url } = parts;
  // The lock is released before `exited` resolves, so that a supervisor can reopen the directory.
  const exited = server.exited.then(lock.release);
  const stop = async (): Promise<void> => {
    await server.stop();
    await exited;
  };
  return { url, port, pid: server.pid, stop, exited };
};
