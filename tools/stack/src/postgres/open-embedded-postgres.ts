import { readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { lockDirectory, type DirectoryLock } from './lock-directory.ts';
import { endPreviousServer } from './end-previous-server.ts';
import { ensureDatabase } from './ensure-database.ts';
import { errorCode, pathExists } from './postgres-error.ts';
import { initializeCluster, SUPERUSER } from './initialize-cluster.ts';
import { findLocation, locateCluster, locationFile } from './locate-cluster.ts';
import { findPostgresPackage, preparePostgresBinaries } from './postgres-binaries.ts';
import { findServerAccount } from './server-account.ts';
import { startServer, type ServerExit, type ServerProcess } from './start-server.ts';

export type EmbeddedPostgres = {
  url: string;
  pid: number;
  port: number;
  folder: string;
  stop: () => Promise<void>;
  /** Resolves when the server has ended and the folder can be opened again. */
  exited: Promise<ServerExit>;
};

export type EmbeddedPostgresOptions = {
  dir: string;
  port?: number;
  /** `false` is for tests only: commits may then be lost if the server is killed. */
  durable: boolean;
  log: (line: string) => void;
};

const DATABASE = 'witan';

/**
 * Starts a PostgreSQL server on the cluster in `dir`, which is created if missing. Recovers from a
 * killed server or owner. The server does not keep this process alive and does not end with it:
 * call `stop`, or the next owner of `dir` stops it as an orphan. Throws PostgresError, for example
 * if the binaries are missing, the cluster is in use, or the server does not start.
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { log } = options;
  const account = findServerAccount();
  const binaries = await preparePostgresBinaries(findPostgresPackage(), { account, log });
  const folder = await locateCluster({ dir: options.dir, account, log });
  const lock = await lockDirectory(folder);
  let server: ServerProcess | undefined;
  try {
    const { wasAbandoned } = lock;
    await endPreviousServer({ dataDir: join(folder, 'data'), wasAbandoned, log });
    const { durable, port = 0 } = options;
    const { dataDir, password } = await initializeCluster({ folder, binaries, account, durable });
    const preferredPort = await findPreviousPort(folder);
    const start = { folder, dataDir, binaries, account, durable, port, preferredPort };
    server = await startServer(start);
    await writeFile(join(folder, 'port'), `${server.port}\n`);
    const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/${DATABASE}`;
    await ensureDatabase(url);
    return toHandle({ url, folder, server, lock });
  } catch (error) {
    await server?.stop();
    await lock.release();
    throw error;
  }
}

export async function deleteEmbeddedPostgres(options: {
  dir: string;
  log: (line: string) => void;
}): Promise<void> {
  const dir = resolve(options.dir);
  const folder = (await findLocation(dir)) ?? dir;
  if (!(await pathExists(folder))) return;
  const { wasAbandoned } = await lockDirectory(folder);
  await endPreviousServer({ dataDir: join(folder, 'data'), wasAbandoned, log: options.log });
  await rm(folder, { recursive: true, force: true });
  await rm(locationFile(dir), { force: true });
  if (folder !== dir) await removeIfEmpty(dirname(folder));
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY') throw error;
  }
}

function toHandle(parts: {
  url: string;
  folder: string;
  server: ServerProcess;
  lock: DirectoryLock;
}): EmbeddedPostgres {
  const { url, folder, server, lock } = parts;
  // The lock is released before `exited` resolves, so that a supervisor can reopen the folder.
  const exited = server.exited.then(async (exit) => {
    await lock.release();
    return exit;
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await exited;
  };
  return { url, folder, pid: server.pid, port: server.port, stop, exited };
}

async function findPreviousPort(folder: string): Promise<number | undefined> {
  try {
    const port = Number.parseInt(await readFile(join(folder, 'port'), 'utf8'), 10);
    return Number.isSafeInteger(port) ? port : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
